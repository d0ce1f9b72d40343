import Pipeline

/// Reads one MessagePack document after another, each forwards and once, as ``JSONReader`` reads JSON.
///
/// Written after the specification (github.com/msgpack/msgpack/blob/master/spec.md), and not a face of libmsgpack's unpacker:
/// that one makes a tree, whose memory it sizes by what the message claims (five bytes can ask for 64 GB), and does not say
/// where in the message an error is. Here nothing is allocated, a claim is compared with the bytes there are, and values
/// that nobody asked for are passed over however deep they are nested.
// A reader belongs to one decoder, and that to one source, which calls it from one thread at a time.
package final class MessagePackReader: DocumentReader, @unchecked Sendable {
    /// An object or array that has been entered.
    private struct Level {
        var left: Int
        var isObject: Bool
    }

    /// How deep a reader descends.
    static let maxDepth = 32

    private struct State {
        var bytes = UnsafeRawBufferPointer(start: nil, count: 0)
        var at = 0
        /// Whether the value at `at` is the current one and has not been read.
        var isUnread = false
        /// How many objects and arrays have been entered.
        var depth = 0
    }

    // Behind pointers: stored here, each use of them would cost an exclusivity check.
    private let state = UnsafeMutablePointer<State>.allocate(capacity: 1)
    private let levels = UnsafeMutablePointer<Level>.allocate(capacity: maxDepth)
    /// What values are by their first byte: quicker than to find out.
    private let types = UnsafeMutablePointer<DocumentType?>.allocate(capacity: 256)
    private var text = TextBuffer(capacity: 256)

    private var bytes: UnsafeRawBufferPointer { state.pointee.bytes }

    private var at: Int {
        get { state.pointee.at }
        set { state.pointee.at = newValue }
    }

    private var isUnread: Bool {
        get { state.pointee.isUnread }
        set { state.pointee.isUnread = newValue }
    }

    private var depth: Int {
        get { state.pointee.depth }
        set { state.pointee.depth = newValue }
    }

    /// The object or array entered last.
    private var level: UnsafeMutablePointer<Level>? { depth > 0 ? levels + (depth - 1) : nil }

    /// Makes a reader. What it allocates does not grow with what it reads.
    package init() {
        state.initialize(to: State())
        levels.initialize(repeating: Level(left: 0, isObject: false), count: Self.maxDepth)
        for byte in 0...UInt8.max { (types + Int(byte)).initialize(to: Self.type(beginning: byte)) }
    }

    deinit {
        state.deallocate()
        levels.deallocate()
        types.deallocate()
    }

    package func begin(_ document: UnsafeRawBufferPointer) throws(PipelineError) {
        state.pointee = State(bytes: document, isUnread: true)
        guard !document.isEmpty else { throw failure("decode.empty", "expected a value, found nothing") }
    }

    package func end() throws(PipelineError) {
        if isUnread { try skip() }
        guard at == bytes.count else { throw failure("decode.trailing", "something stands behind the value") }
    }

    package var offset: Int { at }

    package func type() throws(PipelineError) -> DocumentType {
        guard isUnread, at < bytes.count else { throw truncated() }
        guard let type = types[Int(bytes[at])] else {
            throw failure("decode.syntax", "not MessagePack: byte 0xc1 begins no value")
        }
        return type
    }

    /// What a value is that begins with a byte; `nil` when none does.
    private static func type(beginning byte: UInt8) -> DocumentType? {
        switch byte {
        case 0x00...0x7F, 0xE0...0xFF, 0xCA...0xD3: .number
        case 0x80...0x8F, 0xDE, 0xDF: .object
        case 0x90...0x9F, 0xDC, 0xDD: .array
        case 0xA0...0xBF, 0xD9...0xDB: .string
        case 0xC0: .null
        case 0xC2, 0xC3: .boolean
        case 0xC1: nil
        default: .bytes
        }
    }

    package func enterObject() throws(PipelineError) {
        guard try type() == .object else { throw mismatch("an object") }
        try enter(isObject: true)
    }

    package func nextField() throws(PipelineError) -> DocumentField? {
        if isUnread { try skip() }
        guard let level, level.pointee.isObject else { throw mismatch("an object") }
        guard level.pointee.left > 0 else {
            depth -= 1
            return nil
        }
        level.pointee.left -= 1
        isUnread = true
        let key: UnsafeRawBufferPointer
        if let short = shortText() {
            key = short
        } else {
            guard try type() == .string else { throw mismatch("a key that is a string") }
            key = try text(of: header())
        }
        isUnread = true
        let place = at
        return DocumentField(key: key, place: place, type: place < bytes.count ? types[Int(bytes[place])] : nil)
    }

    package func enterArray() throws(PipelineError) {
        guard try type() == .array else { throw mismatch("an array") }
        try enter(isObject: false)
    }

    package func nextElement() throws(PipelineError) -> Bool {
        if isUnread { try skip() }
        guard let level, !level.pointee.isObject else { throw mismatch("an array") }
        guard level.pointee.left > 0 else {
            depth -= 1
            return false
        }
        level.pointee.left -= 1
        isUnread = true
        return true
    }

    package func appendNumbers(to numbers: inout [Double]) throws(PipelineError) {
        if isUnread { try skip() }
        guard let level, !level.pointee.isObject else { throw mismatch("an array") }
        depth -= 1
        var left = level.pointee.left
        while left > 0 {
            left -= appendPlainNumbers(most: left, to: &numbers)
            guard left > 0 else { break }
            isUnread = true
            numbers.append(try number())
            left -= 1
        }
    }

    /// Reads numbers as long as they are finite ones in the forms that points mostly have: how many. What stops it is read, or
    /// refused, one by one.
    private func appendPlainNumbers(most: Int, to numbers: inout [Double]) -> Int {
        withUnsafeTemporaryAllocation(of: Double.self, capacity: 64) { room in
            let (bytes, start) = (bytes, at)
            var (place, count) = (start, 0)
            // Nine bytes are there, whatever form it is.
            while count < min(most, room.count), place &+ 9 <= bytes.count {
                let (value, size) =
                    switch bytes[place] {
                    case 0xCB: (Double(bitPattern: Self.load(bytes, place &+ 1, as: UInt64.self)), 9)
                    case 0xCA: (Double(Float(bitPattern: Self.load(bytes, place &+ 1, as: UInt32.self))), 5)
                    case 0...0x7F: (Double(bytes[place]), 1)
                    case 0xCC: (Double(bytes[place &+ 1]), 2)
                    case 0xCD: (Double(Self.load(bytes, place &+ 1, as: UInt16.self)), 3)
                    case 0xCE: (Double(Self.load(bytes, place &+ 1, as: UInt32.self)), 5)
                    default: (Double.nan, 0)
                    }
                guard value.isFinite else { break }
                room[count] = value
                count &+= 1
                place &+= size
            }
            numbers.append(contentsOf: UnsafeMutableBufferPointer(rebasing: room[0..<count]))
            at = place
            return count
        }
    }

    /// A number as the wire has it.
    @inline(__always)
    private static func load<Number: FixedWidthInteger>(
        _ bytes: UnsafeRawBufferPointer, _ place: Int, as: Number.Type
    ) -> Number {
        Number(bigEndian: bytes.loadUnaligned(fromByteOffset: place, as: Number.self))
    }

    package func number() throws(PipelineError) -> Double {
        guard try type() == .number else { throw mismatch("a number") }
        let place = at
        switch try header() {
        case .integer(let value): return Double(value)
        case .large(let value): return Double(value)
        case .double(let value):
            guard value.isFinite else {
                at = place
                throw failure("decode.not_finite", "expected a finite number, found \(value)")
            }
            return value
        default: throw mismatch("a number")
        }
    }

    package func integer() throws(PipelineError) -> Int64 {
        guard try type() == .number else { throw mismatch("a whole number") }
        let place = at
        switch try header() {
        case .integer(let value): return value
        case .double(let value):
            // As in JSON, where 3.0 is whole.
            if value.rounded() == value, abs(value) <= 9_007_199_254_740_991 { return Int64(value) }
        default: break
        }
        at = place
        throw failure("decode.range", "expected a whole number that fits into 64 bits")
    }

    package func boolean() throws(PipelineError) -> Bool {
        guard try type() == .boolean, case .boolean(let value) = try header() else { throw mismatch("true or false") }
        return value
    }

    package func stringBytes() throws(PipelineError) -> UnsafeRawBufferPointer {
        let place = at
        let text: UnsafeRawBufferPointer
        if let short = shortText() {
            text = short
        } else {
            guard try type() == .string else { throw mismatch("a string") }
            text = try self.text(of: header())
        }
        guard text.isASCII || String(validating: text, as: UTF8.self) != nil else {
            at = place
            throw failure("decode.utf8", "not UTF-8")
        }
        return text
    }

    package func rawValue() throws(PipelineError) -> String {
        text.clear()
        try write(depth: 0)
        return text.text
    }

    // MARK: - Headers

    /// What the first bytes of a value say. Of text and bytes they stand where the reader then is.
    private enum Header {
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

    /// Reads the header of the current value and, of text and bytes, checks that they are there.
    private func header() throws(PipelineError) -> Header {
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
        // Of an extension the type is read as one of its bytes.
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

    /// A count that the bytes left can hold: every value takes one at least.
    private func counted(_ count: Int, _ bytesEach: Int) throws(PipelineError) -> Int {
        // Both are far from the largest number there is.
        guard count &* bytesEach <= bytes.count - at else { throw truncated() }
        return count
    }

    private func load<Number: FixedWidthInteger>(_ type: Number.Type) throws(PipelineError) -> Number {
        guard at + MemoryLayout<Number>.size <= bytes.count else { throw truncated() }
        defer { at += MemoryLayout<Number>.size }
        return Self.load(bytes, at, as: Number.self)
    }

    private func text(of header: Header) throws(PipelineError) -> UnsafeRawBufferPointer {
        guard case .string(let length) = header else { throw mismatch("a string") }
        defer { at += length }
        return UnsafeRawBufferPointer(rebasing: bytes[at..<(at + length)])
    }

    /// The current value, if it is a text of fewer than 32 bytes that are all there: what most keys and texts are.
    @inline(__always)
    private func shortText() -> UnsafeRawBufferPointer? {
        let (bytes, place) = (bytes, at)
        guard isUnread, place < bytes.count, bytes[place] & 0xE0 == 0xA0 else { return nil }
        let end = place &+ 1 &+ Int(bytes[place] & 31)
        guard end <= bytes.count else { return nil }
        at = end
        isUnread = false
        return UnsafeRawBufferPointer(rebasing: bytes[(place &+ 1)..<end])
    }

    private func enter(isObject: Bool) throws(PipelineError) {
        guard depth < Self.maxDepth else { throw failure("decode.depth", "nested too deep") }
        switch try header() {
        case .array(let count), .object(let count):
            levels[depth] = Level(left: count, isObject: isObject)
            depth += 1
        default: throw mismatch("a value")
        }
    }

    /// Passes over the current value with all that is in it. O(bytes), whatever their nesting.
    private func skip() throws(PipelineError) {
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

    // MARK: - JSON text

    /// Writes the current value as JSON. Bytes become a string of base64; a number that is not finite, null.
    private func write(depth: Int) throws(PipelineError) {
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

    /// Writes a key. One that is no text, as other programs have, becomes the text of its value.
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
            throw failure("decode.type", "expected a key that is no list and no object")
        }
    }

    private func take(_ length: Int) -> UnsafeRawBufferPointer {
        defer { at += length }
        return UnsafeRawBufferPointer(rebasing: bytes[at..<(at + length)])
    }

    // MARK: - Errors

    private func failure(_ code: String, _ message: String) -> PipelineError {
        .frame(code, message, location: "byte \(at)")
    }

    private func truncated() -> PipelineError {
        .frame("decode.truncated", "the message ends before the value does", location: "byte \(bytes.count)")
    }

    private func mismatch(_ wanted: String) -> PipelineError { failure("decode.type", "expected \(wanted)") }
}
