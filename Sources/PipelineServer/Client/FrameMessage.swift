import Connectors
import Pipeline
import Stages

/// A message from a served run: a frame, a notice about the client's request, or the end of the run.
package struct FrameMessage {
    /// The type of the message: `frame`, `notice`, `ended`.
    package let op: String
    /// The code and the text of a notice.
    package let notice: (code: String, message: String)?
    /// The frame as a canonical message; `nil` if the message contains no frame, or the frame has no canonical message.
    package let payload: [UInt8]?
    /// The server's description of a frame that has no canonical message.
    package let shown: String?
    private let kind: String

    /// Parses a message. Returns `nil` if it is invalid.
    package init?(_ message: [UInt8]) {
        guard let document = try? DocumentValue(message, .json), let op = document["op"]?.string else { return nil }
        self.op = op
        kind = document["kind"]?.string ?? ""
        shown = document["shown"]?.string
        notice = document["code"]?.string.map { ($0, document["message"]?.string ?? "") }
        // The payload is the last member. Copy its bytes, so that it is shown exactly as the server wrote it.
        let mark = Array("\"payload\":{".utf8)
        let start = op == "frame" ? message.indices.first { message[$0...].starts(with: mark) } : nil
        payload = start.map { Array(message[($0 + mark.count - 1)..<(message.count - 1)]) }
    }

    /// Returns the frame in human-readable form, or `nil` if it cannot be read.
    ///
    /// - Parameter kinds: The known payload kinds.
    package func pretty(_ kinds: [PayloadKind]) -> String? {
        guard let payload, let kind = kinds[kind] else { return nil }
        return Self.pretty(payload, kind.type)
    }

    private static func pretty<P: WirePayload>(_ json: [UInt8], _ type: P.Type) -> String? {
        guard var decoder = try? CanonicalDecoder<P>(defaultStream: "") else { return nil }
        let padded = json + [UInt8](repeating: 0, count: JSONReader.padding)
        let decoded = try? padded.withUnsafeBytes {
            try decoder.decode(UnsafeRawBufferPointer(rebasing: $0[..<json.count]))
        }
        guard let frame = decoded?.frame else { return nil }
        var text = TextBuffer()
        text.prettyLine(frame)
        return text.text
    }
}
