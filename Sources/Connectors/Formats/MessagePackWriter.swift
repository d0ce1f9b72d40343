import CMsgPack
import Pipeline

/// Writes JSON documents as MessagePack: the same values under the same keys, each in its shortest form.
///
/// Payloads are first written as JSON, and the JSON is then converted. Both formats therefore always have the same content,
/// including unknown keys. This costs one additional pass. O(bytes).
// A writer belongs to one sink, which calls it from one thread at a time.
package final class MessagePackWriter: @unchecked Sendable {
    /// The JSON reader, created when it is first needed.
    private var madeReader: JSONReader?
    private var storage = [UInt8](repeating: 0, count: 1024)
    private var count = 0

    /// Creates a writer.
    package init() {}

    /// Writes a document, replacing the previous one, and lends its bytes to `body`.
    ///
    /// - Parameter json: The text. ``JSONReader/padding`` readable bytes must follow it.
    /// - Throws: A frame error if the text is not JSON, an environment error if there is no memory, or any error of `body`.
    package func write<Result>(
        _ json: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) throws -> Result
    ) throws -> Result {
        count = 0
        let reader = try madeReader ?? JSONReader()
        madeReader = reader
        try reader.begin(json)
        try value(reader)
        try reader.end()
        return try storage.withUnsafeBytes { try body(UnsafeRawBufferPointer(rebasing: $0[0..<count])) }
    }

    private func value(_ reader: JSONReader) throws(PipelineError) {
        switch try reader.type() {
        case .object:
            let head = beginList()
            var fields = 0
            try reader.enterObject()
            while let field = try reader.nextField() {
                string(field.key)
                try value(reader)
                fields += 1
            }
            endList(head) { cmp_write_object(fields, $0) }
        case .array:
            let head = beginList()
            var elements = 0
            try reader.enterArray()
            while try reader.nextElement() {
                try value(reader)
                elements += 1
            }
            endList(head) { cmp_write_array(elements, $0) }
        case .string: string(try reader.stringBytes())
        case .boolean:
            let value = try reader.boolean()
            append { cmp_write_bool(value, $0) }
        case .null, .bytes: append { cmp_write_null($0) }
        case .number:
            switch try reader.anyNumber() {
            case .integer(let number): append { cmp_write_integer(number, $0) }
            case .unsigned(let number): append { cmp_write_unsigned(number, $0) }
            case .double(let number): append { cmp_write_double(number, $0) }
            }
        }
    }

    private func string(_ bytes: UnsafeRawBufferPointer) {
        append { cmp_write_string(bytes.count, $0) }
        reserve(bytes.count)
        storage.withUnsafeMutableBytes { storage in
            guard let source = bytes.baseAddress, let end = storage.baseAddress else { return }
            (end + count).copyMemory(from: source, byteCount: bytes.count)
        }
        count += bytes.count
    }

    /// Reserves one byte for the header of a list or object. The length of the header is known only at the end.
    private func beginList() -> Int {
        reserve(1)
        count += 1
        return count - 1
    }

    /// Writes the header of a list or object. Moves the content if the header takes more than one byte.
    private func endList(_ place: Int, _ write: (UnsafeMutablePointer<UInt8>) -> Int) {
        var head: (UInt64, UInt8) = (0, 0)
        withUnsafeMutableBytes(of: &head) { head in
            guard let start = head.assumingMemoryBound(to: UInt8.self).baseAddress else { return }
            let length = write(start)
            reserve(length)
            storage.withUnsafeMutableBytes { storage in
                guard let bytes = storage.baseAddress else { return }
                (bytes + place + length).copyMemory(from: bytes + place + 1, byteCount: count - place - 1)
                (bytes + place).copyMemory(from: start, byteCount: length)
            }
            count += length - 1
        }
    }

    private func append(_ write: (UnsafeMutablePointer<UInt8>) -> Int) {
        reserve(Int(CMP_MAX_HEAD))
        storage.withUnsafeMutableBufferPointer { storage in
            guard let start = storage.baseAddress else { return }
            count += write(start + count)
        }
    }

    private func reserve(_ room: Int) {
        guard count + room > storage.count else { return }
        storage.append(contentsOf: repeatElement(0, count: max(storage.count, count + room - storage.count)))
    }
}
