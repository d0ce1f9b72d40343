import Pipeline

// Conversion of unknown values to JSON.
extension MessagePackReader {
    /// Writes the current value as JSON. Bytes become a base64 string. A number that is not finite becomes null.
    func write(depth: Int) throws(PipelineError) {
        guard depth <= JSONReader.maxUnknownDepth else {
            throw failure("decode.depth", "nested deeper than \(JSONReader.maxUnknownDepth) levels")
        }
        switch try header() {
        case .null: text.literal("null")
        case .boolean(let value): text.plain(value ? "true" : "false")
        case .integer(let value): text.integer(value)
        case .large(let value): text.plain(String(value))
        case .double(let value): text.number(value)
        case .string(let length):
            text.quoted(String(decoding: take(length), as: UTF8.self))
        case .bytes(let length): text.base64(take(length))
        case .array(let count):
            text.byte(UInt8(ascii: "["))
            for index in 0..<count {
                if index > 0 { text.byte(UInt8(ascii: ",")) }
                try write(depth: depth + 1)
            }
            text.byte(UInt8(ascii: "]"))
        case .object(let count):
            text.byte(UInt8(ascii: "{"))
            for index in 0..<count {
                if index > 0 { text.byte(UInt8(ascii: ",")) }
                try writeKey()
                text.byte(UInt8(ascii: ":"))
                try write(depth: depth + 1)
            }
            text.byte(UInt8(ascii: "}"))
        }
    }

    /// Reads a key that is not a string, and returns the text of its value. It is valid until the next such key.
    func textOfKey() throws(PipelineError) -> UnsafeRawBufferPointer {
        text.clear()
        try writeKey()
        let length = text.count - 2
        if keyText.capacity < length { keyText = InputMemory(2 * length) }
        // The text is in quotes, and needs no escapes.
        text.withBytes { bytes in
            if let base = bytes.baseAddress { keyText.base.copyMemory(from: base + 1, byteCount: length) }
        }
        return UnsafeRawBufferPointer(start: keyText.base, count: length)
    }

    /// Writes a key. A key that is not a string, as some programs write, becomes the text of its value.
    private func writeKey() throws(PipelineError) {
        let place = at
        switch try header() {
        case .string(let length): text.quoted(String(decoding: take(length), as: UTF8.self))
        case .integer(let number): text.quoted(String(number))
        case .large(let number): text.quoted(String(number))
        case .double(let number): text.quoted(String(number))
        case .boolean(let value): text.quoted(String(value))
        case .null: text.quoted("null")
        case .bytes(let length): text.base64(take(length))
        case .array, .object:
            at = place
            throw failure("decode.type", "expected a key that is neither a list nor an object")
        }
    }

    private func take(_ length: Int) -> UnsafeRawBufferPointer {
        defer { at += length }
        return UnsafeRawBufferPointer(rebasing: bytes[at..<(at + length)])
    }
}
