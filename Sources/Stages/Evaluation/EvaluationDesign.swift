/// Whose samples are templates, and what is tested.
public enum EvaluationDesign: String, Sendable, CaseIterable {
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
    public static let allCases: [EvaluationDesign] = [
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
