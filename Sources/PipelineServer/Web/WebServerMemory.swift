import CWebSockets

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The memory that libwebsockets refers to by address. The addresses must not change during the lifetime of the context.
final class WebServerMemory {
    private(set) var protocols = UnsafeMutablePointer<lws_protocols>.allocate(capacity: 1)
    private let patience = UnsafeMutablePointer<lws_retry_bo_t>.allocate(capacity: 1)
    private var names: [UnsafeMutablePointer<CChar>?] = []

    init() { patience.initialize(to: lws_retry_bo_t()) }

    deinit {
        for name in names { free(name) }
        protocols.deallocate()
        patience.deallocate()
    }

    /// Fills in the properties of the server, except the callbacks of the protocols, which the caller must set.
    func fill(
        _ info: inout lws_context_creation_info, address: String, port: Int, protocols list: [String],
        _ limits: WebLimits
    ) {
        names = (list + [address, "default"]).map { strdup($0) }
        protocols.deallocate()
        // The list must end with an empty element.
        protocols = .allocate(capacity: list.count + 1)
        for index in 0...list.count {
            (protocols + index).initialize(to: lws_protocols())
            guard index < list.count else { break }
            protocols[index].name = UnsafePointer(names[index])
            protocols[index].rx_buffer_size = 4096
            protocols[index].id = UInt32(index)
        }
        // A client that sends nothing for 20 s is pinged, and disconnected if it has not responded after 40 s.
        patience.pointee.secs_since_valid_ping = 20
        patience.pointee.secs_since_valid_hangup = 40
        info.port = Int32(port)
        info.iface = UnsafePointer(names[list.count])
        info.vhost_name = UnsafePointer(names[list.count + 1])
        info.protocols = UnsafePointer(protocols)
        info.retry_and_idle_policy = UnsafePointer(patience)
        info.max_http_header_data2 = UInt32(limits.headerBytes)
        info.max_http_header_pool2 = UInt32(limits.connections)
        info.timeout_secs = UInt32(limits.seconds)
        info.timeout_secs_ah_idle = UInt32(limits.seconds)
        info.keepalive_timeout = 5
        info.gid = -1
        info.uid = -1
    }
}
