/// Where components tell a person what happened. Never called per frame without a limit on the rate.
public struct Log: Sendable {
    /// How important a line is.
    public enum Level: String, Sendable, Comparable, CaseIterable {
        case debug, info, warning, error

        private var rank: Int {
            switch self {
            case .debug: 0
            case .info: 1
            case .warning: 2
            case .error: 3
            }
        }

        public static func < (a: Level, b: Level) -> Bool { a.rank < b.rank }
    }

    /// What is told at once.
    public struct Line: Sendable {
        /// How important it is.
        public let level: Level

        /// The `id` of the component that it is about, if it is about one.
        public let node: String?

        /// The code of the error that it tells of, if it tells of one.
        public let code: String?

        /// What happened, in one line.
        public let message: String

        /// The line for a person: `pen: connected: tcp://127.0.0.1:5556`.
        public var text: String { node.map { "\($0): \(message)" } ?? message }
    }

    private let node: String?
    private let write: @Sendable (Line) -> Void

    /// Sends every line to `write`.
    public init(_ write: @escaping @Sendable (Line) -> Void) { (node, self.write) = (nil, write) }

    private init(node: String, _ write: @escaping @Sendable (Line) -> Void) { (self.node, self.write) = (node, write) }

    /// Sends nothing anywhere.
    public static let silent = Log { _ in }

    /// The same, for lines about a component.
    ///
    /// - Parameter node: Its `id`.
    public func about(_ node: String) -> Log { Log(node: node, write) }

    /// Says one line.
    ///
    /// - Parameters:
    ///   - message: What happened. The component's `id` is no part of it.
    ///   - code: The code of the error that it tells of.
    public func callAsFunction(_ level: Level, _ message: String, code: String? = nil) {
        write(Line(level: level, node: node, code: code, message: message))
    }
}
