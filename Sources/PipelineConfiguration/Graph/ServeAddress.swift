import Pipeline
import PipelineComponents

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// The address at which a run is served: a numeric address of this machine and a port, `127.0.0.1:7070` or `[::1]:7070`.
public struct ServeAddress: OptionValue, Hashable, CustomStringConvertible {
    /// The numeric address, in its usual form: `::1` for `0:0:0:0:0:0:0:1`.
    public let host: String

    /// The port; 0 for any free port.
    public let port: Int

    /// Whether the address is an IPv6 address.
    public let isIPv6: Bool

    /// Parses an address. A port without a host, or with the host `localhost`, means that port at 127.0.0.1.
    ///
    /// - Returns: `nil` if the text is not a numeric address with a port.
    public init?(_ text: String) {
        let colon = text.lastIndex(of: ":")
        var name = colon.map { String(text[..<$0]) } ?? "127.0.0.1"
        let digits = colon.map { text[text.index(after: $0)...] } ?? text[...]
        guard let port = Int(digits), (0...65_535).contains(port), digits.allSatisfy(\.isNumber) else { return nil }
        let isBracketed = name.hasPrefix("[") && name.hasSuffix("]")
        if isBracketed { name = String(name.dropFirst().dropLast()) }
        if name == "localhost" { name = "127.0.0.1" }
        var (v4, v6) = (in_addr(), in6_addr())
        isIPv6 = isBracketed && inet_pton(AF_INET6, name, &v6) == 1
        guard isIPv6 || !isBracketed && inet_pton(AF_INET, name, &v4) == 1 else { return nil }
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        let form =
            isIPv6
            ? inet_ntop(AF_INET6, &v6, &text, socklen_t(text.count))
            : inet_ntop(AF_INET, &v4, &text, socklen_t(text.count))
        guard form != nil else { return nil }
        host = String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        self.port = port
    }

    /// Whether only programs on this machine can reach the address.
    public var isLoopback: Bool { isIPv6 ? host == "::1" : host.hasPrefix("127.") }

    /// Whether the address stands for all addresses of this machine: `0.0.0.0` or `::`.
    public var isEveryAddress: Bool { isIPv6 ? host == "::" : host == "0.0.0.0" }

    public var description: String { isIPv6 ? "[\(host)]:\(port)" : "\(host):\(port)" }

    public static var schema: ValueSchema { .string }
    public var yaml: String? { description }

    /// The accepted format in words, for messages.
    public static let wanted = "a port, or a numeric address with a port, as in 7070 or 127.0.0.1:7070"

    public static func decode(_ node: ConfigNode, _ context: DecodingContext) -> ServeAddress? {
        if let scalar = node.scalar, let address = ServeAddress(scalar.text) { return address }
        context.mismatch(node, wanted: wanted, help: "0.0.0.0 stands for every address of the machine")
        return nil
    }
}
