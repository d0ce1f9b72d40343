/// The rules for the timestamps of a source.
public struct SourceRules: Sendable, Equatable {
    /// What happens to a frame whose timestamp does not increase, or jumps too far ahead.
    public var onDisorder: DisorderPolicy

    /// The largest allowed step from one timestamp of a stream to the next, in microseconds.
    public var maxJump: Int64

    /// Creates rules.
    public init(onDisorder: DisorderPolicy = .error, maxJump: Int64 = 3_600_000_000) {
        self.onDisorder = onDisorder
        self.maxJump = maxJump
    }
}
