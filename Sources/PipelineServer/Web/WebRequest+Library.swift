import CWebSockets

extension WebRequest {
    /// Reads the request headers of a connection from libwebsockets.
    init(_ wsi: OpaquePointer) {
        for (token, method) in [
            (WSI_TOKEN_GET_URI, Method.get), (WSI_TOKEN_POST_URI, .post), (WSI_TOKEN_HEAD_URI, .head),
        ] {
            guard let path = Self.header(wsi, token) else { continue }
            (self.method, self.path) = (method, path)
            break
        }
        if Self.header(wsi, WSI_TOKEN_GET_URI) == nil, method == .get { method = .other }
        host = Self.header(wsi, WSI_TOKEN_HOST)
        origin = Self.header(wsi, WSI_TOKEN_ORIGIN)
        authorization = Self.header(wsi, WSI_TOKEN_HTTP_AUTHORIZATION)
        cookie = Self.header(wsi, WSI_TOKEN_HTTP_COOKIE)
        fetchSite = Self.custom(wsi, "sec-fetch-site:")
        contentLength = Self.header(wsi, WSI_TOKEN_HTTP_CONTENT_LENGTH).map { Int($0) ?? -1 }
        isChunked = Self.header(wsi, WSI_TOKEN_HTTP_TRANSFER_ENCODING) != nil
        protocols =
            Self.header(wsi, WSI_TOKEN_PROTOCOL)?.split(separator: ",").map { part in
                String(part.drop { $0 == " " })
            } ?? []
        // libwebsockets has already decoded the percent escapes.
        var index: Int32 = 0
        while let part = Self.fragment(wsi, WSI_TOKEN_HTTP_URI_ARGS, index) {
            let equals = part.firstIndex(of: "=") ?? part.endIndex
            query.append((String(part[..<equals]), String(part[equals...].dropFirst())))
            index += 1
        }
    }

    private static func header(_ wsi: OpaquePointer, _ token: lws_token_indexes) -> String? {
        let length = lws_hdr_total_length(wsi, token)
        guard length > 0 else { return nil }
        return text(length) { lws_hdr_copy(wsi, $0, $1, token) }
    }

    private static func fragment(_ wsi: OpaquePointer, _ token: lws_token_indexes, _ index: Int32) -> String? {
        let length = lws_hdr_fragment_length(wsi, token, index)
        guard length > 0 else { return nil }
        return text(length) { lws_hdr_copy_fragment(wsi, $0, $1, token, index) }
    }

    private static func custom(_ wsi: OpaquePointer, _ name: StaticString) -> String? {
        name.utf8Start.withMemoryRebound(to: CChar.self, capacity: name.utf8CodeUnitCount) { start in
            let count = Int32(name.utf8CodeUnitCount)
            let length = lws_hdr_custom_length(wsi, start, count)
            guard length > 0 else { return nil }
            return text(length) { lws_hdr_custom_copy(wsi, $0, $1, start, count) }
        }
    }

    /// Returns the text that `copy` writes to a buffer, which has room for the trailing zero that libwebsockets adds.
    private static func text(_ length: Int32, _ copy: (UnsafeMutablePointer<CChar>, Int32) -> Int32) -> String? {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(length) + 1) { buffer in
            guard let start = buffer.baseAddress else { return nil }
            let copied = copy(start, length + 1)
            guard copied >= 0 else { return nil }
            return String(decoding: UnsafeRawBufferPointer(start: start, count: Int(copied)), as: UTF8.self)
        }
    }
}
