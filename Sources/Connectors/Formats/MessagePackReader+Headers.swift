import Pipeline

// Reading the headers of values, and skipping values.
extension MessagePackReader {
    /// The header of a value. After the header of a string or of bytes, the reader is at their content.
    enum Header {
        case null
        case boolean(Bool)
        case integer(Int64)
        /// A whole number above 2^63 − 1.
        case large(UInt64)
        case double(Double)
        case string(Int)
        case bytes(Int)
        case array(Int)
        case object(Int)
    }

    /// Reads the header of the current value. For a string or bytes, also checks that the content is complete.
    func header() throws(PipelineError) -> Header {
        guard at < bytes.count else { throw truncated() }
        isUnread = false
        let first = bytes[at]
        at += 1
        switch first {
        case 0x00...0x7F: return .integer(Int64(first))
        case 0xE0...0xFF: return .integer(Int64(Int8(bitPattern: first)))
        case 0x80...0x8F: return .object(try counted(Int(first & 15), 2))
        case 0x90...0x9F: return .array(try counted(Int(first & 15), 1))
        case 0xA0...0xBF: return .string(try counted(Int(first & 31), 1))
        case 0xC0: return .null
        case 0xC2, 0xC3: return .boolean(first == 0xC3)
        case 0xC4: return .bytes(try counted(Int(try load(UInt8.self)), 1))
        case 0xC5: return .bytes(try counted(Int(try load(UInt16.self)), 1))
        case 0xC6: return .bytes(try counted(Int(try load(UInt32.self)), 1))
        // The type of an extension is counted as one of its bytes.
        case 0xC7: return .bytes(try counted(Int(try load(UInt8.self)) + 1, 1))
        case 0xC8: return .bytes(try counted(Int(try load(UInt16.self)) + 1, 1))
        case 0xC9: return .bytes(try counted(Int(try load(UInt32.self)) + 1, 1))
        case 0xD4...0xD8: return .bytes(try counted(1 << Int(first - 0xD4) + 1, 1))
        case 0xCA: return .double(Double(Float(bitPattern: try load(UInt32.self))))
        case 0xCB: return .double(Double(bitPattern: try load(UInt64.self)))
        case 0xCC: return .integer(Int64(try load(UInt8.self)))
        case 0xCD: return .integer(Int64(try load(UInt16.self)))
        case 0xCE: return .integer(Int64(try load(UInt32.self)))
        case 0xCF:
            let value = try load(UInt64.self)
            return Int64(exactly: value).map { .integer($0) } ?? .large(value)
        case 0xD0: return .integer(Int64(Int8(bitPattern: try load(UInt8.self))))
        case 0xD1: return .integer(Int64(Int16(bitPattern: try load(UInt16.self))))
        case 0xD2: return .integer(Int64(Int32(bitPattern: try load(UInt32.self))))
        case 0xD3: return .integer(Int64(bitPattern: try load(UInt64.self)))
        case 0xD9: return .string(try counted(Int(try load(UInt8.self)), 1))
        case 0xDA: return .string(try counted(Int(try load(UInt16.self)), 1))
        case 0xDB: return .string(try counted(Int(try load(UInt32.self)), 1))
        case 0xDC: return .array(try counted(Int(try load(UInt16.self)), 1))
        case 0xDD: return .array(try counted(Int(try load(UInt32.self)), 1))
        case 0xDE: return .object(try counted(Int(try load(UInt16.self)), 2))
        case 0xDF: return .object(try counted(Int(try load(UInt32.self)), 2))
        default:
            at -= 1
            throw failure("decode.syntax", "not MessagePack: byte 0xc1 begins no value")
        }
    }

    /// Returns a count after checking that the remaining bytes can hold that many items of at least `bytesEach` bytes.
    func counted(_ count: Int, _ bytesEach: Int) throws(PipelineError) -> Int {
        // Both factors are small enough that the product cannot overflow.
        guard count &* bytesEach <= bytes.count - at else { throw truncated() }
        return count
    }

    func load<Number: FixedWidthInteger>(_ type: Number.Type) throws(PipelineError) -> Number {
        guard at + MemoryLayout<Number>.size <= bytes.count else { throw truncated() }
        defer { at += MemoryLayout<Number>.size }
        return Self.load(bytes, at, as: Number.self)
    }

    func text(of header: Header) throws(PipelineError) -> UnsafeRawBufferPointer {
        guard case .string(let length) = header else { throw mismatch("a string") }
        defer { at += length }
        return UnsafeRawBufferPointer(rebasing: bytes[at..<(at + length)])
    }

    /// Reads the current value if it is a complete string of fewer than 32 bytes, as most keys and strings are. Otherwise, returns
    /// `nil` and reads nothing.
    @inline(__always)
    func shortText() -> UnsafeRawBufferPointer? {
        let (bytes, place) = (bytes, at)
        guard isUnread, place < bytes.count, bytes[place] & 0xE0 == 0xA0 else { return nil }
        let end = place &+ 1 &+ Int(bytes[place] & 31)
        guard end <= bytes.count else { return nil }
        at = end
        isUnread = false
        return UnsafeRawBufferPointer(rebasing: bytes[(place &+ 1)..<end])
    }

    func enter(isObject: Bool) throws(PipelineError) {
        guard depth < Self.maxDepth else { throw failure("decode.depth", "nested too deep") }
        switch try header() {
        case .array(let count), .object(let count):
            levels[depth] = Level(left: count, isObject: isObject)
            depth += 1
        default: throw mismatch("a value")
        }
    }

    /// Skips the current value with everything in it. O(bytes), regardless of the nesting.
    func skip() throws(PipelineError) {
        var left = 1
        while left > 0 {
            left -= 1
            switch try header() {
            case .string(let length), .bytes(let length): at += length
            case .array(let count): left += count
            case .object(let count): left += 2 * count
            default: break
            }
            guard left <= bytes.count - at else { throw truncated() }
        }
    }

    func failure(_ code: String, _ message: String) -> PipelineError {
        .frame(code, message, location: "byte \(at)")
    }

    func truncated() -> PipelineError {
        .frame("decode.truncated", "the message ends before the value does", location: "byte \(bytes.count)")
    }

    func mismatch(_ wanted: String) -> PipelineError {
        .mismatch(wanted, at < bytes.count ? Self.type(beginning: bytes[at]) : nil, at: at)
    }
}
