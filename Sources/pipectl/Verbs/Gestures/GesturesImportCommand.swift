import Pipeline
import Stages

extension Command {
    /// `pipectl gestures import LIBRARY DATA…`.
    static let gesturesImport: Command = Command(
        "import", "add labelled strokes or bitmaps to their gestures",
        details: """
            The library is made when it is not there. What has no label is counted and left out. Of a bitmap that tells what stroke it was \
            made from, the stroke is kept; of others the 64 bits, once.
            """,
        arguments: [LibraryFile.argument, LibraryFile.dataArgument],
        flags: [LibraryFile.kindFlag.description],
        examples: [
            Example("pipectl gestures import mine.json recorded/*.xml", "Adds the gestures of XML files")
        ]
    ) { invocation, console in
        let path = invocation.words[0]
        var library = try LibraryFile.readOrNew(path)
        let kind = invocation[LibraryFile.kindFlag] ?? .stroke
        let (added, known, unlabelled) = try await LibraryFile.take(
            invocation.words.dropFirst(), of: kind, into: &library, console)
        guard added + known > 0 else {
            throw PipelineError.environment(
                "gestures.no_labels", "\(Counted.text(unlabelled, kind.rawValue)) read, none with a label",
                help: "\"pipectl gestures add LIBRARY GESTURE DATA\" names the gesture itself")
        }
        try library.write(to: path)
        if unlabelled > 0 { console.warning("\(Counted.text(unlabelled, kind.rawValue)) without a label left out") }
        console.say(
            "\(path): \(Counted.text(added, "sample")) added, \(Counted.text(library.gestures.count, "gesture")) in all"
        )
        return .done
    }
}
