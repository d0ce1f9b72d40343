import Pipeline
import Stages

extension Command {
    /// `pipectl gestures import LIBRARY DATA…`.
    static let gesturesImport: Command = Command(
        "import", "add labelled strokes to the gestures they name",
        details: "The library is made when it is not there. Strokes without a label are counted and left out.",
        arguments: [LibraryFile.argument, LibraryFile.dataArgument],
        examples: [
            Example("pipectl gestures import mine.json recorded/*.xml", "Adds the gestures of XML files")
        ]
    ) { invocation, console in
        let path = invocation.words[0]
        var library = try LibraryFile.readOrNew(path)
        var (added, unlabelled) = (0, 0)
        for file in invocation.words.dropFirst() {
            let counts = library.importSamples(from: try await StrokeReading.strokes(in: file, console))
            added += counts.taken
            unlabelled += counts.unlabelled
        }
        guard added > 0 else {
            throw PipelineError.environment(
                "gestures.no_labels", "\(Counted.text(unlabelled, "stroke")) read, none with a label",
                help: "\"pipectl gestures add LIBRARY GESTURE DATA\" names the gesture itself")
        }
        try library.write(to: path)
        if unlabelled > 0 { console.warning("\(Counted.text(unlabelled, "stroke")) without a label left out") }
        console.say(
            "\(path): \(Counted.text(added, "sample")) added, \(Counted.text(library.gestures.count, "gesture")) in all"
        )
        return .done
    }
}
