import Pipeline
import Stages

extension Command {
    /// `pipectl gestures add LIBRARY GESTURE DATA…`.
    static let gesturesAdd: Command = Command(
        "add", "add everything in a file to one gesture",
        details: "The library is made when it is not there.",
        arguments: [LibraryFile.argument, LibraryFile.gestureArgument, LibraryFile.dataArgument],
        flags: [LibraryFile.kindFlag.description],
        examples: [
            Example(
                "pipectl gestures add mine.json star star.jsonl", "Adds the strokes of a recording as samples of star")
        ]
    ) { invocation, console in
        let (path, name) = (invocation.words[0], invocation.words[1])
        var library = try LibraryFile.readOrNew(path)
        let counts = try await LibraryFile.take(
            invocation.words.dropFirst(2), of: invocation[LibraryFile.kindFlag] ?? .stroke, as: name, into: &library,
            console)
        try library.write(to: path)
        console.say("\(path): \(Counted.text(counts.taken, "sample")) added to \(name)")
        return .done
    }
}
