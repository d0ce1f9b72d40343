import Pipeline
import Stages

extension Command {
    /// `pipectl gestures export LIBRARY`.
    static let gesturesExport: Command = Command(
        "export", "write the samples of a library as JSON Lines",
        details: "A stroke a line, labelled with its gesture's name, as the stdout and file sinks write them.",
        arguments: [LibraryFile.argument],
        examples: [Example("pipectl gestures export mine.json > mine.jsonl", "Writes every sample")]
    ) { invocation, console in
        let library = try GestureLibrary(readingFrom: invocation.words[0])
        try LibraryListing.export(library) { try console.writeResult($0) }
        return .done
    }
}
