/// The log for messages of components. A component must not log a message for every frame, but limit their rate.
public struct Log: Sendable {
    /// The severity of a message. A more severe level is greater.
    public enum Level: String, Sendable, Comparable, CaseIterable {
        case debug, info, warning, error

        // The cases are in the order of severity.
        private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }

        public static func < (a: Level, b: Level) -> Bool { a.rank < b.rank }
    }

    /// One message of the log.
    public struct Line: Sendable {
        /// The severity.
        public let level: Level

        /// The `id` of the component that the message is about, if any.
        public let node: String?

        /// The code of the error, if the message reports one.
        public let code: String?

        /// What happened, in one line, without the code.
        public let message: String

        /// The text to show: `pen: connected: tcp://127.0.0.1:5556`, `pen: expected a number, skipped [decode.type]`.
        public var text: String { (node.map { "\($0): " } ?? "") + message + (code.map { " [\($0)]" } ?? "") }
    }

    private let node: String?
    private let write: @Sendable (Line) -> Void

    /// Creates a log that sends every message to `write`.
    public init(_ write: @escaping @Sendable (Line) -> Void) { (node, self.write) = (nil, write) }

    private init(node: String, _ write: @escaping @Sendable (Line) -> Void) { (self.node, self.write) = (node, write) }

    /// A log that discards all messages.
    public static let silent = Log { _ in }

    /// Returns a log for messages about a component.
    ///
    /// - Parameter node: The `id` of the component.
    public func about(_ node: String) -> Log { Log(node: node, write) }

    /// Logs one message.
    ///
    /// - Parameters:
    ///   - level: The severity.
    ///   - message: What happened, without the component's `id`.
    ///   - code: The code of the error, if the message reports one.
    public func callAsFunction(_ level: Level, _ message: String, code: String? = nil) {
        write(Line(level: level, node: node, code: code, message: message))
    }
}
