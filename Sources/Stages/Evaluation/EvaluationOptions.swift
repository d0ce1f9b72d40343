/// What to measure.
public struct EvaluationOptions: Sendable {
    /// Whose samples are templates.
    public var design = EvaluationDesign.userDependent
    /// The numbers of templates of each class (and of each person, if they are others'); `nil` for those that are usual for the design.
    public var templates: [Int]?
    /// The numbers of people who give templates, for the user-independent design.
    public var users = [1]
    /// How many times to draw, for each group or for each number of people.
    public var repetitions = 100
    /// Whether all that is left of a person's samples is tested after a draw, not one of each class.
    public var testsAll = false
    /// How much of every class comes first, for blocks.
    public var templateShare = 0.75
    /// Which share of the classes is unknown, for the open set: at least one class, and one is left.
    public var unknownShare = 0.25
    /// Where the random numbers start: the same seed gives the same draws.
    public var seed: UInt64 = 1

    public init() {}
}
