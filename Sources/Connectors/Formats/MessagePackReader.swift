import Pipeline

/// Reads MessagePack documents, one after another, each once from its beginning to its end, as ``JSONReader`` reads JSON.
///
/// It follows the specification (github.com/msgpack/msgpack/blob/master/spec.md) and does not wrap libmsgpack's unpacker. That
/// unpacker builds a tree and allocates as much memory as the message claims to need (five bytes can ask for 64 GB). It also does
/// not report the position of an error. This reader allocates nothing while it reads, checks every claimed size against the bytes
/// that are present, and skips unused values at any nesting depth.
// A reader belongs to one decoder, and the decoder to one source, which calls it from one thread at a time.
package final class MessagePackReader: DocumentReader, @unchecked Sendable {
    /// An object or array that has been entered.
    struct Level {
        var left: Int
        var isObject: Bool
    }

    /// The maximum number of nested objects and arrays that can be entered.
    static let maxDepth = 32

    struct State {
        var bytes = UnsafeRawBufferPointer(start: nil, count: 0)
        var at = 0
        /// Whether the value that begins at `at` is current and has not been read yet.
        var isUnread = false
        /// The number of objects and arrays that have been entered.
        var depth = 0
    }

    // Stored in separate memory, because each access to a mutable stored property of the class would cost an exclusivity check.
    let state = UnsafeMutablePointer<State>.allocate(capacity: 1)
    let levels = UnsafeMutablePointer<Level>.allocate(capacity: maxDepth)
    /// The type of a value for each first byte. A table is faster than a computation.
    private let types = UnsafeMutablePointer<DocumentType?>.allocate(capacity: 256)
    /// The ranges of the keys in the first row of the last table, and the position after that table.
    let columns = UnsafeMutablePointer<Range<Int>>.allocate(capacity: maxColumns)
    let tableEnd = UnsafeMutablePointer<Int>.allocate(capacity: 1)
    var text = TextBuffer(capacity: 256)
    /// The memory of the last key that is not a string.
    var keyText = InputMemory(64)

    var bytes: UnsafeRawBufferPointer { state.pointee.bytes }

    var at: Int {
        get { state.pointee.at }
        set { state.pointee.at = newValue }
    }

    var isUnread: Bool {
        get { state.pointee.isUnread }
        set { state.pointee.isUnread = newValue }
    }

    var depth: Int {
        get { state.pointee.depth }
        set { state.pointee.depth = newValue }
    }

    /// The object or array entered last.
    private var level: UnsafeMutablePointer<Level>? { depth > 0 ? levels + (depth - 1) : nil }

    /// Creates a reader. Its memory does not grow with its input.
    package init() {
        state.initialize(to: State())
        columns.initialize(repeating: 0..<0, count: Self.maxColumns)
        tableEnd.initialize(to: 0)
        levels.initialize(repeating: Level(left: 0, isObject: false), count: Self.maxDepth)
        for byte in 0...UInt8.max { (types + Int(byte)).initialize(to: Self.type(beginning: byte)) }
    }

    deinit {
        state.deallocate()
        columns.deallocate()
        tableEnd.deallocate()
        levels.deallocate()
        types.deallocate()
    }

    package func begin(_ document: UnsafeRawBufferPointer) throws(PipelineError) {
        state.pointee = State(bytes: document, isUnread: true)
        guard !document.isEmpty else { throw failure("decode.empty", "expected a value, found nothing") }
    }

    package func end() throws(PipelineError) {
        if isUnread { try skip() }
        guard at == bytes.count else { throw failure("decode.trailing", "something follows the value") }
    }

    package var offset: Int { at }

    package func type() throws(PipelineError) -> DocumentType {
        guard isUnread, at < bytes.count else { throw truncated() }
        guard let type = types[Int(bytes[at])] else {
            throw failure("decode.syntax", "not MessagePack: byte 0xc1 begins no value")
        }
        return type
    }

    /// Returns the type of a value that begins with a byte. Returns `nil` if no value begins with it.
    static func type(beginning byte: UInt8) -> DocumentType? {
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
            depth &-= 1
            return nil
        }
        level.pointee.left &-= 1
        isUnread = true
        let key: UnsafeRawBufferPointer
        if let short = shortText() {
            key = short
        } else if try type() == .string {
            key = try text(of: header())
        } else {
            key = try textOfKey()
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
            depth &-= 1
            return false
        }
        level.pointee.left &-= 1
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

    /// Reads numbers up to the first one that is not finite, has a form that is unusual for points, or is near the end of the
    /// document. The caller reads or rejects that number.
    ///
    /// - Returns: The number of numbers read.
    private func appendPlainNumbers(most: Int, to numbers: inout [Double]) -> Int {
        withUnsafeTemporaryAllocation(of: Double.self, capacity: 64) { room in
            let bytes = bytes
            var (place, count) = (at, 0)
            // Every form takes at most nine bytes.
            let (most, last) = (min(most, room.count), bytes.count &- 9)
            let infinity = Double.infinity.bitPattern
            while count < most, place <= last {
                // Most numbers have this form.
                if bytes[place] == 0xCB {
                    let number = Self.load(bytes, place &+ 1, as: UInt64.self)
                    guard number & infinity != infinity else { break }
                    room[count] = Double(bitPattern: number)
                    count &+= 1
                    place &+= 9
                    continue
                }
                let (value, size) = Self.plainNumber(bytes, place)
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

    /// Returns a number that is not a double, and its size. The number is NaN if its form is unusual for points. The place must be
    /// followed by eight more bytes.
    // A separate function, so that the compiler does not make the common case part of this switch.
    @inline(never)
    private static func plainNumber(_ bytes: UnsafeRawBufferPointer, _ place: Int) -> (value: Double, size: Int) {
        switch bytes[place] {
        case 0xCA: (Double(Float(bitPattern: load(bytes, place &+ 1, as: UInt32.self))), 5)
        case 0...0x7F: (Double(bytes[place]), 1)
        case 0xCC: (Double(bytes[place &+ 1]), 2)
        case 0xCD: (Double(load(bytes, place &+ 1, as: UInt16.self)), 3)
        case 0xCE: (Double(load(bytes, place &+ 1, as: UInt32.self)), 5)
        default: (Double.nan, 0)
        }
    }

    /// Reads a big-endian number, the byte order of MessagePack.
    @inline(__always)
    static func load<Number: FixedWidthInteger>(
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
            // 3.0 is whole, as in JSON.
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
}
