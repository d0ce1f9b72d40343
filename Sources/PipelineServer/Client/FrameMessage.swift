import Connectors
import Pipeline
import Stages

/// A message of a served run that tells of a frame.
package struct FrameMessage {
    /// What message it is: `frame`, `notice`, `ended`.
    package let op: String
    /// The code and the words of a notice.
    package let notice: (code: String, message: String)?
    /// The canonical message; `nil` where the frame has none.
    package let payload: [UInt8]?
    /// What the server says of a frame that has none.
    package let shown: String?
    private let kind: String

    /// Reads a message; `nil` for what is none.
    package init?(_ message: [UInt8]) {
        guard let document = try? DocumentValue(message, .json), let op = document["op"]?.string else { return nil }
        self.op = op
        kind = document["kind"]?.string ?? ""
        shown = document["shown"]?.string
        notice = document["code"]?.string.map { ($0, document["message"]?.string ?? "") }
        // It stands last, and is handed on as it was written.
        let mark = Array("\"payload\":{".utf8)
        let start = op == "frame" ? message.indices.first { message[$0...].starts(with: mark) } : nil
        payload = start.map { Array(message[($0 + mark.count - 1)..<(message.count - 1)]) }
    }

    /// The frame for a person; `nil` where it cannot be read.
    ///
    /// - Parameter kinds: Those that are known.
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
