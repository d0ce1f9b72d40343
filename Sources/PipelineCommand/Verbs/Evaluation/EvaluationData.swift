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
        "Draws among one person's samples of one folder (data sets keep speeds apart in folders), or of one person")
    private static let kind = Flag<GestureLibrary.GestureKind>.choice(
        "kind", default: .stroke,
        "Evaluates strokes, hands, or motions, which are rows of a table; hands by themselves where the data holds nothing else"
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
