/// An evaluation protocol: whose samples are templates, and which samples are tested.
public enum EvaluationDesign: String, Sendable, CaseIterable {
    /// User-dependent (Wobbrock, Wilson, Li, UIST 2007). T samples of every class of one person, drawn at random, are the
    /// templates. One other sample of each class of that person is tested. This is repeated for every person, or every group of a
    /// person's samples.
    case userDependent = "user_dependent"
    /// User-independent (Vatavu, Anthony, Wobbrock, ICMI 2012). P people drawn at random provide T templates of every class each.
    /// One sample of each class of one other person is tested.
    case userIndependent = "user_independent"
    /// Leave-one-person-out. The samples of each person are tested with the templates of everybody else. Samples of classes that
    /// nobody else has are not tested.
    case leaveOnePersonOut = "leave_one_person_out"
    /// k-shot. The templates are drawn from one person, and all remaining samples of that person are tested.
    case kShot = "k_shot"
    /// Contiguous blocks. The first part of every class of a person is the templates, and the rest is tested. Nothing is drawn at
    /// random: neighboring samples in a recording of one person are nearly identical, and a random draw would put neighbors of the
    /// tests among the templates.
    case blocks
    /// Open set. The templates come from one person and from three quarters of the classes, drawn at random. Samples of the other
    /// classes are unknown gestures, for which None is the right answer. The share of unknown classes is
    /// ``EvaluationOptions/unknownShare``.
    case openSet = "open_set"
    /// Existing library. All of its samples are templates, and every item of the data is tested once.
    case library

    /// The designs that take templates and tests from one data set: all but ``library``.
    public static let allCases: [EvaluationDesign] = [
        .userDependent, .userIndependent, .leaveOnePersonOut, .kShot, .blocks, .openSet,
    ]

    /// Whether each group of a person's samples is evaluated separately. Otherwise, all samples of a person are one group.
    var drawsFromGroups: Bool { self != .userIndependent && self != .leaveOnePersonOut }

    /// The numbers of templates to evaluate if the options give none; `nil` if the design uses all available samples.
    var defaultTemplates: [Int]? {
        switch self {
        case .userDependent, .userIndependent: [1, 2, 3, 4, 5, 6, 7, 8, 9]
        case .kShot: [1, 3, 5]
        case .openSet: [3]
        case .leaveOnePersonOut, .blocks, .library: nil
        }
    }
}
