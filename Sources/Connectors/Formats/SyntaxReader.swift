import Pipeline

/// A reader of one of the two syntaxes. Code that reads switches once a message, and is compiled for both.
enum SyntaxReader: Sendable {
    case json(JSONReader)
    case messagePack(MessagePackReader)

    /// Makes a reader.
    ///
    /// - Throws: An environment error when there is no memory.
    init(_ syntax: DocumentSyntax) throws {
        switch syntax {
        case .json: self = .json(try JSONReader())
        case .messagePack: self = .messagePack(MessagePackReader())
        }
    }
}
