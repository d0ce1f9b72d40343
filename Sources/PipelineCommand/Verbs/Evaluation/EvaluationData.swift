import Pipeline
import Stages

/// The labeled data of `eval` and `tune`.
enum EvaluationData {
    /// What defines the groups of samples within which templates and tests are drawn.
    enum Pool: String, CaseIterable, Sendable {
        /// The person, and the folder of the file: data sets separate speeds and devices by folder.
        case folder
        /// The person alone.
        case subject
    }

    static let pool = Flag<Pool>.choice(
        "pool", default: .folder,
        "Draws from one person's samples in one folder (data sets separate speeds by folder), or from all of one person's samples"
    )
    private static let kind = Flag<GestureLibrary.GestureKind>.choice(
        "kind", default: .stroke,
        "Evaluates strokes, hands, or motions, which are rows of a table; hands by default if the data contains nothing else"
    )

    /// All flags about data.
    static let flags = [kind.description, LibraryFile.labelsFlag.description, pool.description]

    /// Whether the flags declare the data to be motions.
    static func holdsMotions(_ invocation: Invocation) -> Bool { invocation[kind] == .motion }

    /// Reads the data.
    static func read(
        _ paths: [String], _ invocation: Invocation, _ console: Console
    ) async throws -> [EvaluationItem] {
        let reading = GestureReading.Reading(labels: invocation[LibraryFile.labelsFlag])
        return try await EvaluationItems.read(
            paths, invocation[kind], reading, console, byFolder: (invocation[pool] ?? .folder) == .folder)
    }
}
