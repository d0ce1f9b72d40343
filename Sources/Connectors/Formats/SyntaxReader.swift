import Pipeline

/// A reader of one of the two syntaxes. Decoding code switches once per message and is specialized for both readers.
enum SyntaxReader: Sendable {
    case json(JSONReader)
    case messagePack(MessagePackReader)

    /// Creates a reader.
    ///
    /// - Throws: An environment error if there is no memory.
    init(_ syntax: DocumentSyntax) throws {
        switch syntax {
        case .json: self = .json(try JSONReader())
        case .messagePack: self = .messagePack(MessagePackReader())
        }
    }
}
