/// The options of an evaluation.
public struct EvaluationOptions: Sendable {
    /// The evaluation protocol.
    public var design = EvaluationDesign.userDependent
    /// The numbers of templates of each class (and of each person, if templates come from other people); `nil` for the design's
    /// default.
    public var templates: [Int]?
    /// The numbers of people who provide templates, for the user-independent design.
    public var users = [1]
    /// The number of draws for each group, or for each number of people: 1 to 1,000,000.
    public var repetitions = 100
    /// The valid numbers of repetitions.
    package static let allowedRepetitions = 1...1_000_000
    /// Whether the user-dependent design tests all remaining samples after a draw, instead of one of each class.
    public var testsAll = false
    /// The share of every class's samples, counted from the first, that the blocks design uses as templates.
    public var templateShare = 0.75
    /// The share of the classes that the open-set design treats as unknown. At least one class is unknown, and at least one is
    /// known.
    public var unknownShare = 0.25
    /// The seed of the random numbers. The same seed gives the same draws.
    public var seed: UInt64 = 1

    public init() {}
}
