import Pipeline

/// What a message said under the keys that its payload declares; see ``MessagePayload``.
struct DeclaredFields: Sendable {
    private let fields: [FieldDescription]
    private let names: [[UInt8]]
    /// What was said, in the order of the fields.
    private(set) var contents: [FieldContent?]

    /// Has said nothing.
    init(_ fields: [FieldDescription]) {
        self.fields = fields
        names = fields.map { Array($0.name.utf8) }
        contents = fields.map { _ in nil }
    }

    /// Whether nothing has been said.
    var isEmpty: Bool { contents.allSatisfy { $0 == nil } }

    /// Forgets what was said.
    mutating func forget() { for index in contents.indices { contents[index] = nil } }

    /// The place of a key among the fields. O(fields).
    func index(of key: UnsafeRawBufferPointer) -> Int? {
        names.firstIndex { $0.withUnsafeBytes { $0.isSame(as: key) } }
    }

    /// Reads the current value, which stands under a key or at a path. What is null is not there.
    mutating func read<Reader: DocumentReader>(_ index: Int, _ document: Reader) throws(PipelineError) {
        let type = try document.type()
        guard type != .null else { return }
        do {
            contents[index] = try FieldContent(fields[index].type, document)
        } catch {
            throw error.naming(fields[index].name, type)
        }
    }

    /// Takes a cell of a table. An empty one says nothing, unless a text may not be missing.
    ///
    /// - Throws: A frame error for a cell that says something else.
    mutating func take(_ cell: ArraySlice<UInt8>, _ index: Int) throws(PipelineError) {
        let field = fields[index]
        guard !cell.isEmpty || !field.isOptional && [.text, .numbers].contains(field.type) else { return }
        guard let content = FieldContent(field.type, cell: cell) else {
            let text = String(decoding: cell.prefix(40), as: UTF8.self)
            throw .frame("decode.type", "\"\(field.name)\": expected \(field.type.wanted), found \(quote(text))")
        }
        contents[index] = content
    }

    /// An error about a field that may not be missing.
    func missing(_ index: Int) -> PipelineError {
        .frame("decode.missing", "the key \"\(fields[index].name)\" is missing")
    }
}

extension FieldType {
    /// In words, for messages.
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
    /// The same error with the name of the key it happened at and, for a wrong type, with what was found.
    func naming(_ key: String, _ type: DocumentType) -> PipelineError {
        var error = self
        guard !message.hasPrefix("\"") else { return error }
        error.message = "\"\(key)\": \(message)"
        if code == "decode.type", type != .array { error.message += ", found \(type.described)" }
        return error
    }
}
