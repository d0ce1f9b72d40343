import CSimdjson
import Pipeline

/// Reads JSON documents, one after another, each once from its beginning to its end. A thin wrapper around simdjson's on-demand
/// parser.
// A reader belongs to one decoder, and the decoder to one source, which calls it from one thread at a time.
package final class JSONReader: DocumentReader, @unchecked Sendable {
    private let parser: OpaquePointer
    private var text = TextBuffer(capacity: 256)
    /// The document that is being read.
    private var document = UnsafeRawBufferPointer(start: nil, count: 0)

    /// The number of readable bytes that must follow a document.
    package static let padding = Int(CSJ_PADDING)

    /// The greatest nesting depth of an unknown value that is kept.
    package static let maxUnknownDepth = 64

    /// Creates a reader. Its memory grows with the largest document read.
    ///
    /// - Throws: An environment error if there is no memory.
    package init() throws {
        guard let parser = csj_parser_new() else {
            throw PipelineError.environment("memory.exhausted", "no memory for a JSON parser")
        }
        self.parser = parser
    }

    deinit { csj_parser_free(parser) }

    /// Begins to read a document.
    ///
    /// - Parameter document: The text. ``padding`` readable bytes must follow it.
    package func begin(_ document: UnsafeRawBufferPointer) throws(PipelineError) {
        guard let base = document.baseAddress, !document.isEmpty else { throw failure(CSJ_EMPTY.rawValue, "a value") }
        self.document = document
        try check(csj_begin(parser, base.assumingMemoryBound(to: CChar.self), document.count), "a value")
    }

    package func beginPlain(_ document: UnsafeRawBufferPointer) throws(PipelineError) {
        guard let base = document.baseAddress, !document.isEmpty else { throw failure(CSJ_EMPTY.rawValue, "a value") }
        self.document = document
        try check(csj_begin_plain(parser, base.assumingMemoryBound(to: CChar.self), document.count), "a value")
    }

    package var isPlain: Bool { csj_is_plain(parser) }

    /// Checks that the whole document has been read and that nothing follows it.
    package func end() throws(PipelineError) { try check(csj_end(parser), "the end") }

    /// The reader's position, in bytes from the beginning of the document.
    package var offset: Int { csj_offset(parser) }

    /// Returns the type of the current value without reading the value.
    package func type() throws(PipelineError) -> DocumentType {
        let code = csj_type(parser)
        guard let type = DocumentType(rawValue: code) else { throw failure(code, "a value") }
        return type
    }

    /// Enters the current value, which must be an object. Call ``nextField()`` until it returns `nil`.
    package func enterObject() throws(PipelineError) { try check(csj_enter_object(parser), "an object") }

    /// Returns the next field and makes its value the current one. Returns `nil` after the last field and leaves the object.
    package func nextField() throws(PipelineError) -> DocumentField? {
        var field = csj_field()
        let code = csj_next_field(parser, &field)
        guard code > 0 else {
            if code == 0 { return nil }
            throw failure(code, "a key")
        }
        return DocumentField(
            key: UnsafeRawBufferPointer(start: field.key, count: field.key_length), place: field.offset,
            type: DocumentType(rawValue: field.type))
    }

    /// Enters the current value, which must be an array. Call ``nextElement()`` until it returns false.
    package func enterArray() throws(PipelineError) { try check(csj_enter_array(parser), "an array") }

    /// Makes the next element the current value. Returns false after the last element and leaves the array.
    package func nextElement() throws(PipelineError) -> Bool {
        let code = csj_next_element(parser)
        guard code >= 0 else { throw failure(code, "a value") }
        return code == 1
    }

    /// Appends to `numbers` the remaining numbers of the array that was entered last, and leaves the array. O(numbers).
    package func appendNumbers(to numbers: inout [Double]) throws(PipelineError) {
        var read: UnsafePointer<Double>?
        let count = csj_read_doubles(parser, &read)
        guard count >= 0 else { throw failure(Int32(truncatingIfNeeded: count), "a number") }
        numbers.append(contentsOf: UnsafeBufferPointer(start: read, count: count))
    }

    package func table(_ names: [UInt8], into numbers: inout [Double]) -> NumberTable? {
        var table = csj_table()
        guard csj_read_table(parser, names, names.count, &table) else { return nil }
        numbers.removeAll(keepingCapacity: true)
        numbers.append(contentsOf: UnsafeBufferPointer(start: table.numbers, count: table.rows * table.width))
        return NumberTable(rows: table.rows, width: table.width, hasColumns: table.has_columns)
    }

    package func tableColumn(_ index: Int) -> UnsafeRawBufferPointer {
        var length = 0
        let key = csj_table_column(parser, index, &length)
        return UnsafeRawBufferPointer(start: key, count: length)
    }

    package func passTable() { csj_pass_table(parser) }

    /// Reads the current value, which must be a finite number.
    package func number() throws(PipelineError) -> Double {
        var value = 0.0
        try check(csj_double(parser, &value), "a number")
        return value
    }

    /// Reads the current value, which must be a whole number. `3.0` and `3e0` are whole.
    package func integer() throws(PipelineError) -> Int64 {
        var value: Int64 = 0
        try check(csj_int64(parser, &value), "a whole number")
        return value
    }

    /// A number of the type that its text implies. A number with a decimal point or an exponent is a double, even if it is whole.
    enum AnyNumber {
        case integer(Int64)
        /// A whole number above 2^63 − 1.
        case unsigned(UInt64)
        case double(Double)
    }

    /// Reads the current value, which must be a number, without converting whole numbers to doubles.
    func anyNumber() throws(PipelineError) -> AnyNumber {
        var number = csj_number()
        try check(csj_any_number(parser, &number), "a number")
        switch number.kind {
        case CSJ_IS_INT64: return .integer(number.int64)
        case CSJ_IS_UINT64: return .unsigned(number.uint64)
        default: return .double(number.real)
        }
    }

    /// Reads the current value, which must be a Boolean.
    package func boolean() throws(PipelineError) -> Bool {
        var value = false
        try check(csj_bool(parser, &value), "true or false")
        return value
    }

    /// Reads the current value, which must be a string, as UTF-8 that is valid until the next document.
    package func stringBytes() throws(PipelineError) -> UnsafeRawBufferPointer {
        var text: UnsafePointer<CChar>?
        var length = 0
        try check(csj_string(parser, &text, &length), "a string")
        return UnsafeRawBufferPointer(start: text, count: length)
    }

    /// Reads the current value, of any type, and returns it as rewritten JSON on one line. A value that is nested deeper than
    /// ``maxUnknownDepth`` is an error.
    package func rawValue() throws(PipelineError) -> String {
        let place = offset
        var raw: UnsafePointer<CChar>?
        var length = 0
        try check(csj_raw(parser, &raw, &length), "a value")
        text.clear()
        if let wrong = JSONRewriter.rewrite(
            UnsafeRawBufferPointer(start: raw, count: length), maxDepth: Self.maxUnknownDepth, into: &text)
        {
            throw nonNumber(at: place + wrong.offset)
                ?? PipelineError.frame(
                    wrong.isDepth ? "decode.depth" : "decode.syntax",
                    wrong.isDepth ? "nested deeper than \(Self.maxUnknownDepth) levels" : "not JSON",
                    location: "byte \(place + wrong.offset)")
        }
        return text.text
    }

    private func check(_ code: Int32, _ wanted: @autoclosure () -> String) throws(PipelineError) {
        guard code >= 0 else { throw failure(code, wanted()) }
    }

    /// Returns the error for a code of the parser, located by byte offset in the document.
    private func failure(_ code: Int32, _ wanted: String) -> PipelineError {
        let (name, message): (String, String) =
            switch code {
            case CSJ_TRUNCATED.rawValue: ("decode.truncated", "the text ends before the value does")
            case CSJ_UTF8.rawValue: ("decode.utf8", "not UTF-8")
            case CSJ_RANGE.rawValue: ("decode.range", "expected \(wanted) that fits into 64 bits")
            case CSJ_DEPTH.rawValue: ("decode.depth", "nested too deep")
            case CSJ_EMPTY.rawValue: ("decode.empty", "expected \(wanted), found nothing")
            case CSJ_TRAILING.rawValue: ("decode.trailing", "something follows the value")
            case CSJ_CAPACITY.rawValue: ("decode.capacity", "larger than the parser can hold")
            default: ("decode.syntax", "not JSON: expected \(wanted)")
            }
        // If there is no document, the parser's position is still that in the previous one.
        guard code != CSJ_EMPTY.rawValue else { return PipelineError.frame(name, message, location: "byte 0") }
        let place = csj_offset(parser)
        let error = PipelineError.frame(name, message, location: "byte \(place)")
        return nonNumber(at: place)
            ?? (code == CSJ_TYPE.rawValue ? .mismatch(wanted, type(at: place), at: place) : error)
    }

    /// Returns the type of the value that begins at a place; `nil` if none begins there.
    private func type(at place: Int) -> DocumentType? {
        guard place < document.count else { return nil }
        return switch document[place] {
        case UInt8(ascii: "{"): .object
        case UInt8(ascii: "["): .array
        case UInt8(ascii: "\""): .string
        case UInt8(ascii: "t"), UInt8(ascii: "f"): .boolean
        case UInt8(ascii: "n"): .null
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): .number
        default: nil
        }
    }

    /// Returns the error about a number that Python and JavaScript write, but that JSON does not have; `nil` if there is none at the
    /// place.
    private func nonNumber(at place: Int) -> PipelineError? {
        // A number that is only checked fails behind its sign.
        let isSigned = place > 0 && place <= document.count && document[place - 1] == UInt8(ascii: "-")
        let rest = document.dropFirst(isSigned ? place - 1 : place)
        let word = ["NaN", "Infinity", "-Infinity"].first { rest.starts(with: $0.utf8) }
        guard let word else { return nil }
        return .frame(
            "decode.syntax", "\(word) is not JSON", location: "byte \(place)",
            help: "leave the value out, or the whole hand; json.dumps(…, allow_nan=False) finds the place")
    }
}
