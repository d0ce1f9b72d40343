import Pipeline
import PipelineComponents

extension FrameNotation where P: WirePayload {
    /// Canonical JSON, as in messages. A frame that names no stream belongs to the stream `test`. Frames without a number are
    /// numbered from 0 in each stream.
    static var canonical: FrameNotation<P> {
        FrameNotation(
            makeReader: {
                var decoder = try CanonicalDecoder<P>(defaultStream: "test")
                return { json, arrival in
                    var bytes = Array(json.utf8)
                    let count = bytes.count
                    bytes.append(contentsOf: repeatElement(0, count: JSONReader.padding))
                    let message = try bytes.withUnsafeBytes { buffer in
                        try decoder.decode(
                            UnsafeRawBufferPointer(rebasing: buffer[0..<count]), receivedAt: arrival.rawValue)
                    }
                    return Item(frame: message.frame, endedStream: message.endsStream ? message.stream : nil)
                }
            }, write: canonicalText)
    }
}

extension FrameNotation where P: WireEncodable {
    /// Canonical JSON, for payloads that can be written but not read.
    static var writeOnly: FrameNotation<P> { FrameNotation(makeReader: nil, write: canonicalText) }

    @Sendable
    fileprivate static func canonicalText(_ frame: Frame<P>) throws -> String {
        var text = TextBuffer(capacity: 256)
        try CanonicalEncoder().encode(frame, into: &text)
        return text.text
    }
}
