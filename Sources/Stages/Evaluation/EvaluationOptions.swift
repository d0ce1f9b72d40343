/// The options of an evaluation.
public struct EvaluationOptions: Sendable {
    /// The evaluation protocol.
    public var design = EvaluationDesign.userDependent
    /// The numbers of templates of each class (and of each person, if templates come from other people); `nil` for the design's
    /// default.
    public var templates: [Int]?
    /// The numbers of people who provide templates, for the user-independent design.
    public var users = [1]
    /// The number of draws for each group, or for each number of people.
    public var repetitions = 100
    /// Whether all remaining samples of a person are tested after a draw, instead of one of each class.
    public var testsAll = false
    /// The leading share of every class that is templates, for the blocks design.
    public var templateShare = 0.75
    /// The share of the classes that is unknown, for the open-set design: at least one class, and at least one is left.
    public var unknownShare = 0.25
    /// The seed of the random numbers. The same seed gives the same draws.
    public var seed: UInt64 = 1

    public init() {}
}
