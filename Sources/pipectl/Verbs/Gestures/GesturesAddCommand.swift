import Pipeline
import Stages

extension Command {
    /// `pipectl gestures add LIBRARY GESTURE DATA…`.
    static let gesturesAdd: Command = Command(
        "add", "add every stroke of a file to one gesture",
        details: "The library is made when it is not there.",
        arguments: [LibraryFile.argument, LibraryFile.gestureArgument, LibraryFile.dataArgument],
        examples: [
            Example(
                "pipectl gestures add mine.json star star.jsonl", "Adds the strokes of a recording as samples of star")
        ]
    ) { invocation, console in
        let (path, name) = (invocation.words[0], invocation.words[1])
        var library = try LibraryFile.readOrNew(path)
        var taken = 0
        for file in invocation.words.dropFirst(2) {
            taken += library.importSamples(from: try await StrokeReading.strokes(in: file, console), as: name).taken
        }
        try library.write(to: path)
        console.say("\(path): \(Counted.text(taken, "sample")) added to \(name)")
        return .done
    }
}
