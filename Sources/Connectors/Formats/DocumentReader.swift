import Pipeline

/// A reader of documents, one after another. Each document is read once, from its beginning to its end. The readers of JSON and of
/// MessagePack conform to it.
///
/// A document is read in place, without a copy. Strings are valid until the next document, and keys until the next field. An
/// invalid document throws a frame error with a byte offset. After an error, the document cannot be read further.
package protocol DocumentReader: AnyObject {
    /// Begins to read a document.
    ///
    /// - Parameter document: The bytes of the document. For JSON, ``JSONReader/padding`` readable bytes must follow them.
    func begin(_ document: UnsafeRawBufferPointer) throws(PipelineError)

    /// Begins to read a document on a fast path that expects the most common formatting; see ``read(_:orForget:_:)``.
    func beginPlain(_ document: UnsafeRawBufferPointer) throws(PipelineError)

    /// Whether the document is being read on the fast path. An error then means only that the document must be read again, with
    /// ``begin(_:)``.
    var isPlain: Bool { get }

    /// Checks that the whole document has been read and that nothing follows it.
    func end() throws(PipelineError)

    /// The reader's position, in bytes from the beginning of the document.
    var offset: Int { get }

    /// Returns the type of the current value without reading the value.
    func type() throws(PipelineError) -> DocumentType

    /// Enters the current value, which must be an object. Call ``nextField()`` until it returns `nil`.
    func enterObject() throws(PipelineError)

    /// Returns the next field and makes its value the current one. Returns `nil` after the last field and leaves the object. A
    /// value that was not read is skipped.
    func nextField() throws(PipelineError) -> DocumentField?

    /// Enters the current value, which must be an array. Call ``nextElement()`` until it returns false.
    func enterArray() throws(PipelineError)

    /// Makes the next element the current value. Returns false after the last element and leaves the array.
    func nextElement() throws(PipelineError) -> Bool

    /// Appends to `numbers` the remaining numbers of the array that was entered last, and leaves the array. O(numbers).
    func appendNumbers(to numbers: inout [Double]) throws(PipelineError)

    /// Copies the numbers of the current value into `numbers` if the value is a table of numbers, as points usually are. The value
    /// remains the current one; ``passTable()`` moves past it.
    ///
    /// - Parameters:
    ///   - names: The expected keys of an object whose fields are the rows, in this order. Each key is preceded by a byte with its
    ///     length. The object may end before the last of these keys.
    ///   - numbers: Receives the numbers, row by row. Its previous contents are replaced.
    /// - Returns: The shape of the table. `nil` if the value is not a table, or is one that the reader does not recognize.
    func table(_ names: [UInt8], into numbers: inout [Double]) -> NumberTable?

    /// Returns the key of a column in the last table whose rows are objects. It is valid until the next call of ``table(_:into:)``.
    func tableColumn(_ index: Int) -> UnsafeRawBufferPointer

    /// Moves past the last table, which is still the current value.
    func passTable()

    /// Reads the current value, which must be a finite number.
    func number() throws(PipelineError) -> Double

    /// Reads the current value, which must be a whole number. `3.0` is whole.
    func integer() throws(PipelineError) -> Int64

    /// Reads the current value, which must be a Boolean.
    func boolean() throws(PipelineError) -> Bool

    /// Reads the current value, which must be a string, as UTF-8.
    func stringBytes() throws(PipelineError) -> UnsafeRawBufferPointer

    /// Reads the current value, of any type, and returns it as JSON on one line. Values that JSON cannot represent are replaced:
    /// half of a surrogate pair by U+FFFD, a number that is not finite or exceeds a double by null, and bytes by their base64 text.
    func rawValue() throws(PipelineError) -> String
}

/// The shape of a table of numbers. Its rows are lists of the same length, or objects with the same keys.
package struct NumberTable {
    let rows: Int

    /// The number of columns.
    let width: Int

    /// Whether the rows are objects, so that each column has a key.
    let hasColumns: Bool
}

extension DocumentReader {
    /// Begins to read a document without a fast path.
    package func beginPlain(_ document: UnsafeRawBufferPointer) throws(PipelineError) { try begin(document) }

    /// False: the reader has no fast path.
    package var isPlain: Bool { false }

    /// Reads a document from its beginning to its end, on the fast path first if there is one.
    ///
    /// - Parameters:
    ///   - document: The bytes of the document.
    ///   - forget: Discards what was read. It is called if the document does not fit the fast path and is read again.
    ///   - body: Reads the value of the document.
    @inline(__always)
    func read(
        _ document: UnsafeRawBufferPointer, orForget forget: () -> Void, _ body: (Self) throws(PipelineError) -> Void
    ) throws(PipelineError) {
        try beginPlain(document)
        do {
            try body(self)
            return try end()
        } catch {
            guard isPlain else { throw error }
        }
        forget()
        try begin(document)
        try body(self)
        try end()
    }

    /// Reads the current value, which must be a string.
    package func string() throws(PipelineError) -> String { String(decoding: try stringBytes(), as: UTF8.self) }

    /// Reads the current value, which must be a string, into `text`. The value is usually unchanged, and then no new string is
    /// allocated.
    @inline(__always)
    package func string(into text: inout String) throws(PipelineError) {
        let bytes = try stringBytes()
        if !text.isSame(as: bytes) { text = String(decoding: bytes, as: UTF8.self) }
    }

    /// Reads the current value, which must be an array of numbers, into `numbers`, replacing its contents. O(numbers).
    package func numbers(into numbers: inout [Double]) throws(PipelineError) {
        try enterArray()
        numbers.removeLast(numbers.count)
        try appendNumbers(to: &numbers)
    }
}

/// A field of an object. It holds what most readers ask of each field, so that one call to the parser replaces three.
package struct DocumentField {
    /// The key, valid until the next field.
    package let key: UnsafeRawBufferPointer

    /// The position of the value, in bytes from the beginning of the document.
    package let place: Int

    /// The type of the value. `nil` if the document ends here, or if no value begins with the byte that follows;
    /// ``DocumentReader/type()`` then throws the reason.
    package let type: DocumentType?
}

/// The type of a value in a document.
package enum DocumentType: Int32, Sendable {
    case object = 1
    case array, number, string, boolean, null
    /// Bytes that are not text. Only MessagePack has them.
    case bytes

    /// The type in words, for messages.
    var described: String {
        switch self {
        case .object: "an object"
        case .array: "an array"
        case .number: "a number"
        case .string: "a string"
        case .boolean: "a boolean"
        case .null: "null"
        case .bytes: "bytes"
        }
    }
}

extension PipelineError {
    /// Returns the error about a value of the wrong type.
    ///
    /// - Parameters:
    ///   - wanted: The type that was expected, in words.
    ///   - found: The type of the value; `nil` if no value begins there, as with `NaN` in JSON.
    ///   - place: The byte offset of the value.
    static func mismatch(_ wanted: String, _ found: DocumentType?, at place: Int) -> PipelineError {
        .frame(
            "decode.type", "expected \(wanted)" + (found.map { ", found \($0.described)" } ?? ""),
            location: "byte \(place)", help: found == .string && wanted.hasSuffix("number") ? "send a number" : nil)
    }
}

/// The syntax of documents.
package enum DocumentSyntax: String, Sendable {
    case json
    case messagePack = "msgpack"
}
