/// Where components tell a person what happened. Never called per frame without a limit on the rate.
public struct Log: Sendable {
    /// How important a line is.
    public enum Level: Int, Sendable, Comparable {
        case debug, info, warning, error

        public static func < (a: Level, b: Level) -> Bool { a.rawValue < b.rawValue }
    }

    private let write: @Sendable (Level, String) -> Void

    /// Sends every line to `write`.
    public init(_ write: @escaping @Sendable (Level, String) -> Void) { self.write = write }

    /// Sends nothing anywhere.
    public static let silent = Log { _, _ in }

    /// Says one line.
    public func callAsFunction(_ level: Level, _ line: String) { write(level, line) }
}
