import Pipeline

/// The values of the fields that a payload declares, as read from one message; see ``MessagePayload``.
struct DeclaredFields: Sendable {
    private let fields: [FieldDescription]
    private let names: [[UInt8]]
    /// The values, in the order of the fields; `nil` for a field that the message does not have.
    private(set) var contents: [FieldContent?]

    /// Creates storage without values for these fields.
    init(_ fields: [FieldDescription]) {
        self.fields = fields
        names = fields.map { Array($0.name.utf8) }
        contents = fields.map { _ in nil }
    }

    /// Whether no field has a value.
    var isEmpty: Bool { contents.allSatisfy { $0 == nil } }

    /// Removes all values.
    mutating func forget() { for index in contents.indices { contents[index] = nil } }

    /// Returns the index of the field with a key, or `nil` if no field has it. O(fields).
    func index(of key: UnsafeRawBufferPointer) -> Int? {
        names.firstIndex { $0.withUnsafeBytes { $0.isSame(as: key) } }
    }

    /// Reads the current value of the document into a field. A null counts as a missing value.
    ///
    /// - Throws: A frame error that names the field if the value does not have its type.
    mutating func read<Reader: DocumentReader>(_ index: Int, _ document: Reader) throws(PipelineError) {
        guard try document.type() != .null else { return }
        do {
            contents[index] = try FieldContent(fields[index].type, document)
        } catch {
            throw error.naming(fields[index].name)
        }
    }

    /// Parses a cell of a table into a field. An empty cell is a missing value. For a required text or list of numbers, it is an
    /// empty text or list.
    ///
    /// - Throws: A frame error if the cell does not contain a value of the field's type.
    mutating func take(_ cell: ArraySlice<UInt8>, _ index: Int) throws(PipelineError) {
        let field = fields[index]
        guard !cell.isEmpty || !field.isOptional && [.text, .numbers].contains(field.type) else { return }
        guard let content = FieldContent(field.type, cell: cell) else {
            let text = String(decoding: cell.prefix(40), as: UTF8.self)
            throw .frame("decode.type", "\"\(field.name)\": expected \(field.type.wanted), found \(quote(text))")
        }
        contents[index] = content
    }

    /// Returns the error for a required field that has no value.
    func missing(_ index: Int) -> PipelineError {
        .frame("decode.missing", "the key \"\(fields[index].name)\" is missing")
    }
}

extension FieldType {
    /// The type in words, for error messages.
    fileprivate var wanted: String {
        switch self {
        case .integer: "a whole number"
        case .number: "a number"
        case .boolean: "true or false"
        case .numbers: "numbers with blanks between them"
        default: "text"
        }
    }
}

extension PipelineError {
    /// Returns the error with the key of the value that caused it, unless its message already begins with a key.
    func naming(_ key: String) -> PipelineError {
        var error = self
        if !message.hasPrefix("\"") { error.message = "\"\(key)\": \(message)" }
        return error
    }
}
