extension Evaluation {
    /// Whose samples are templates, and what is tested.
    public enum Design: String, Sendable, CaseIterable {
        /// The same person's: T samples of every class drawn at random are the templates, and one other sample of each class is tested; again and again, for every person or
        /// group of a person's (Wobbrock, Wilson, Li, UIST 2007).
        case userDependent = "user_dependent"
        /// Other people's: P people drawn at random give T templates of every class each, and one sample of each class of one other person is tested (Vatavu, Anthony, Wobbrock, ICMI 2012).
        case userIndependent = "user_independent"
        /// All others': each person's samples are tested with templates of everybody else.
        case leaveOnePersonOut = "leave_one_person_out"
        /// The same person's, and all that a draw leaves is tested.
        case kShot = "k_shot"
        /// The first part of every class of the same person; the rest is tested. Nothing is drawn: in a recording of one person,
        /// neighboring samples are nearly the same, and a random draw would find the test's neighbors among the templates.
        case blocks
        /// The same person's, of three quarters of the classes, drawn at random: samples of the others are unknown gestures, which are to be None.
        case openSet = "open_set"
        /// All samples of a library, as it stands.
        case library

        /// Those that take templates and tests of one data set.
        public static let allCases: [Design] = [
            .userDependent, .userIndependent, .leaveOnePersonOut, .kShot, .blocks, .openSet,
        ]

        /// Whether templates are drawn from one of a person's groups, not from people.
        var drawsFromGroups: Bool { self != .userIndependent && self != .leaveOnePersonOut }

        /// The numbers of templates where none are said; `nil` for all there are.
        var usualTemplates: [Int]? {
            switch self {
            case .userDependent, .userIndependent: [1, 2, 3, 4, 5, 6, 7, 8, 9]
            case .kShot: [1, 3, 5]
            case .openSet: [3]
            case .leaveOnePersonOut, .blocks, .library: nil
            }
        }
    }

    /// What to measure.
    public struct Options: Sendable {
        /// Whose samples are templates.
        public var design = Design.userDependent
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
}
