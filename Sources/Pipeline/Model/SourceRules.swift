/// The rules for the timestamps of a source.
public struct SourceRules: Sendable, Equatable {
    /// What to do with a frame whose timestamp does not increase, or jumps too far ahead.
    public var onDisorder: DisorderPolicy

    /// The largest jump ahead of a timestamp, in microseconds.
    public var maxJump: Int64

    /// Creates rules.
    public init(onDisorder: DisorderPolicy = .error, maxJump: Int64 = 3_600_000_000) {
        self.onDisorder = onDisorder
        self.maxJump = maxJump
    }
}
