import Pipeline

/// A reader of JSON or of MessagePack. Decoders switch over the cases once per message and are specialized for both readers.
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
