import Connectors
import Pipeline
import Stages

extension Command {
    /// `pipectl gestures import LIBRARY DATA…`.
    static let gesturesImport: Command = Command(
        "import", "add labeled samples to their gestures",
        details: """
            Samples are strokes, hands or bitmaps. The library is created if it does not exist. Samples without a label are \
            counted and left out. A bitmap that contains the stroke it was made from is stored as that stroke; other bitmaps are \
            stored as their 64 bits, once.
            """,
        arguments: [LibraryFile.argument, LibraryFile.dataArgument],
        flags: [LibraryFile.kindFlag.description, LibraryFile.labelsFlag.description],
        examples: [
            Example("pipectl gestures import mine.json recorded/*.xml", "Adds the gestures of XML files"),
            Example(
                "pipectl gestures import hands.json keypoint.csv --labels=names.csv",
                "Adds the hands of a table whose labels are numbers"),
        ]
    ) { invocation, console in
        let path = invocation.words[0]
        try LibraryFile.checkLabels(for: invocation.words.dropFirst(), invocation)
        var library = try LibraryFile.readOrNew(path)
        let wanted = invocation[LibraryFile.kindFlag]
        let reading = GestureReading.Reading(labels: invocation[LibraryFile.labelsFlag])
        let counts = try await LibraryFile.importSamples(
            invocation.words.dropFirst(), of: wanted, into: &library, console, reading)
        let what = try LibraryFile.kind(of: invocation.words[1], wanted).noun
        guard counts.imported + counts.duplicates + counts.unlabeled > 0 else {
            let files = invocation.words.dropFirst().map(\.shown)
            throw PipelineError.environment(
                "gestures.nothing", "there is no \(what) in \(shortList(files))",
                help: "pipectl info shows what a recording contains; --kind selects what is read")
        }
        guard counts.imported + counts.duplicates > 0 else {
            throw PipelineError.environment(
                "gestures.no_labels", "\(Counted.text(counts.unlabeled, what)) read, none with a label",
                help: "to name the gesture yourself: pipectl gestures add LIBRARY GESTURE DATA")
        }
        try library.write(to: path)
        if counts.unlabeled > 0 {
            console.warning("\(Counted.text(counts.unlabeled, what)) without a label left out")
        }
        console.say(
            "\(path): \(Counted.text(counts.imported, "sample")) added, \(Counted.text(library.gestures.count, "gesture")) in all"
        )
        return .done
    }
}
