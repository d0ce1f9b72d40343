import Pipeline

/// Reads one document after another, each forwards and once: the face that readers of JSON and of MessagePack share.
///
/// A document is read where it lies, without a copy. Strings and keys are valid until the next document. What is wrong is a
/// frame error located by byte, after which the document is done.
package protocol DocumentReader: AnyObject {
    /// Starts on a document.
    ///
    /// - Parameter document: Its bytes. Behind those of JSON ``JSONReader/padding`` readable bytes must stand.
    func begin(_ document: UnsafeRawBufferPointer) throws(PipelineError)

    /// Starts on a document that is read quicker where it is written as most are; see ``read(_:_:)``.
    func beginPlain(_ document: UnsafeRawBufferPointer) throws(PipelineError)

    /// Whether an error says only that the document must be begun anew, to be read as any other.
    var isPlain: Bool { get }

    /// Checks that the document has been read to its end and nothing stands behind it.
    func end() throws(PipelineError)

    /// Where the reader stands, in bytes from the beginning of the document.
    var offset: Int { get }

    /// The type of the current value, which is not read by asking.
    func type() throws(PipelineError) -> DocumentType

    /// Enters the current value, an object; follow with ``nextField()`` until it is `nil`.
    func enterObject() throws(PipelineError)

    /// The next field, whose value becomes the current one; `nil` behind the last, when the object is left. A value that was
    /// not read is passed over.
    func nextField() throws(PipelineError) -> DocumentField?

    /// Enters the current value, an array; follow with ``nextElement()`` until it is false.
    func enterArray() throws(PipelineError)

    /// Makes the next element the current value; false behind the last, when the array is left.
    func nextElement() throws(PipelineError) -> Bool

    /// Reads what is left of the array entered last, numbers, behind what `numbers` holds, and leaves it. O(numbers).
    func appendNumbers(to numbers: inout [Double]) throws(PipelineError)

    /// Reads the array entered last, from its current element on, and leaves it, if it holds lists of equally many numbers in the
    /// form that points mostly have; `nil` when it holds anything else or the reader cannot tell, and nothing has been read then.
    func plainRows() -> PlainRows?

    /// Reads the current value, a finite number.
    func number() throws(PipelineError) -> Double

    /// Reads the current value, a whole number. `3.0` is whole.
    func integer() throws(PipelineError) -> Int64

    /// Reads the current value, a boolean.
    func boolean() throws(PipelineError) -> Bool

    /// Reads the current value, a string, as UTF-8.
    func stringBytes() throws(PipelineError) -> UnsafeRawBufferPointer

    /// Reads the current value, whatever it is, as JSON on one line, written anew. What JSON cannot say is replaced: half a character
    /// by U+FFFD, a number that is not finite or beyond a double by null, bytes by their base64 text.
    func rawValue() throws(PipelineError) -> String
}

/// Lists of equally many numbers, one behind the other: valid until the next call to their reader.
package struct PlainRows {
    let numbers: UnsafeBufferPointer<Double>

    /// How many numbers each has.
    let width: Int
}

extension DocumentReader {
    /// Starts on it as on any other.
    package func beginPlain(_ document: UnsafeRawBufferPointer) throws(PipelineError) { try begin(document) }

    /// There is one way only.
    package var isPlain: Bool { false }

    /// Reads a document from its beginning to its end.
    ///
    /// - Parameters:
    ///   - forget: Forgets what was read, when the document turns out to be written as few are and is read again.
    ///   - body: Reads its value.
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

    /// Reads nothing.
    package func plainRows() -> PlainRows? { nil }

    /// Reads the current value, a string.
    package func string() throws(PipelineError) -> String { String(decoding: try stringBytes(), as: UTF8.self) }

    /// Reads the current value, a string, in place of what `text` held: mostly the same, and then nothing is made anew.
    @inline(__always)
    package func string(into text: inout String) throws(PipelineError) {
        let bytes = try stringBytes()
        if !text.isSame(as: bytes) { text = String(decoding: bytes, as: UTF8.self) }
    }

    /// Reads the current value, an array of numbers, in place of what `numbers` held. O(numbers).
    package func numbers(into numbers: inout [Double]) throws(PipelineError) {
        try enterArray()
        numbers.removeLast(numbers.count)
        try appendNumbers(to: &numbers)
    }
}

/// A field of an object, with what most readers ask of each: one call to the parser instead of three.
package struct DocumentField {
    /// Its key, valid until the next document.
    package let key: UnsafeRawBufferPointer

    /// Where its value stands, in bytes from the beginning of the document.
    package let place: Int

    /// What its value is; `nil` when no value begins so, of which ``DocumentReader/type()`` says what is wrong.
    package let type: DocumentType?
}

/// What a value of a document is.
package enum DocumentType: Int32, Sendable {
    case object = 1
    case array, number, string, boolean, null
    /// Bytes that are no text: only MessagePack has them.
    case bytes

    /// In words, for messages.
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

/// How documents are written.
package enum DocumentSyntax: String, Sendable {
    case json
    case messagePack = "msgpack"
}
