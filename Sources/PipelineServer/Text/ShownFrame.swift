import Connectors
import Pipeline
import Stages

/// A frame as it is sent to clients: its canonical message, with long strings truncated.
struct ShownFrame {
    /// The canonical message; `nil` if the payload has none, or if it is too long or cannot be encoded.
    let payload: [UInt8]?
    /// The reason why ``payload`` is `nil`, for users.
    var words: String?

    /// The maximum length of a message in bytes.
    private static var mostBytes: Int { 1 << 20 }

    init(_ frame: WatchedFrame) {
        guard let payload = frame.payload as? any WireEncodable else {
            self.payload = nil
            words = "a frame of kind \(type(of: frame.payload).kind), which has no message format"
            return
        }
        var json = TextBuffer()
        json.longestString = StringCutter.mostBytes
        do {
            try Self.write(payload, frame, into: &json)
            let text = StringCutter.cut(json.bytes)
            self.payload = text.count <= Self.mostBytes ? text : nil
            if self.payload == nil { words = "too large to be shown: \(json.count) bytes" }
        } catch {
            self.payload = nil
            words = "\(error.message)"
        }
    }

    private static func write<P: WireEncodable>(
        _ payload: P, _ frame: WatchedFrame, into json: inout TextBuffer
    ) throws(PipelineError) {
        try CanonicalEncoder().encode(
            Frame(
                payload, at: frame.timestamp, stream: frame.stream, sequence: frame.sequence, origin: frame.origin),
            into: &json)
    }
}
