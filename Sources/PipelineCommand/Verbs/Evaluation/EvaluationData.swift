import Pipeline
import Stages

/// The labeled data of `eval` and `tune`.
enum EvaluationData {
    /// The grouping of samples. The templates and tests of a trial are drawn from one group.
    enum Pool: String, CaseIterable, Sendable {
        /// One group for each person and folder, because data sets often separate speeds and devices by folder.
        case folder
        /// One group for each person.
        case subject
    }

    static let pool = Flag<Pool>.choice(
        "pool", default: .folder,
        "Draws from one person's samples in one folder (data sets separate speeds by folder), or from all of one person's samples"
    )
    /// The kinds of samples that can be evaluated: all but bitmaps, because it is strokes that the methods compare as bitmaps.
    private enum Kind: String, CaseIterable {
        case stroke, hand21, motion

        var ofGestures: GestureLibrary.GestureKind {
            switch self {
            case .stroke: .stroke
            case .hand21: .hand21
            case .motion: .motion
            }
        }
    }

    private static let kind = Flag<Kind>.choice(
        "kind", default: nil,
        "Evaluates strokes, hands, or motions, which are strokes in the rows of a table; by default, hands if the data contains hands, otherwise strokes"
    )

    /// The flags about data.
    static let flags = [kind.description, LibraryFile.labelsFlag.description, pool.description]

    /// Whether the flags declare the data to be motions.
    static func holdsMotions(_ invocation: Invocation) -> Bool { invocation[kind] == .motion }

    /// Returns the labeled samples of all files and folders.
    static func read(
        _ paths: [String], _ invocation: Invocation, _ console: Console
    ) async throws -> [EvaluationItem] {
        try LibraryFile.checkLabels(for: paths, invocation)
        let reading = GestureReading.Reading(labels: invocation[LibraryFile.labelsFlag])
        return try await EvaluationItems.read(
            paths, invocation[kind]?.ofGestures, reading, console, byFolder: (invocation[pool] ?? .folder) == .folder)
    }
}
