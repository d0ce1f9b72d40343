import Connectors
import Pipeline
import Stages

extension Command {
    /// `pipectl gestures merge LIBRARY OTHER…`.
    static let gesturesMerge: Command = Command(
        "merge", "add the gestures of other libraries to one",
        details:
            "Gestures with the same name are merged; a sample that the library already contains is not added again.",
        arguments: [
            LibraryFile.argument,
            Argument("OTHER", "the libraries whose gestures are added", arity: .many, completion: .files([".json"])),
        ],
        examples: [Example("pipectl gestures merge mine.json yours.json", "Adds all of yours.json to mine.json")]
    ) { invocation, console in
        let path = invocation.words[0]
        var library = try LibraryFile.readOrNew(path)
        var added = 0
        for other in invocation.words.dropFirst() { added += try library.merge(try GestureLibrary(readingFrom: other)) }
        try library.write(to: path)
        console.say("\(path): \(Counted.text(added, "sample")) added")
        return .done
    }
}
