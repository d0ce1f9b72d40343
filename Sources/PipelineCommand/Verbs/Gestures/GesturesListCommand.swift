import Connectors
import Pipeline
import PipelineComponents
import Stages

extension Command {
    /// `pipectl gestures list LIBRARY`.
    static let gesturesList: Command = Command(
        "list", "list the gestures of a library",
        arguments: [LibraryFile.argument], flags: [Flags.format.description],
        examples: [Example("pipectl gestures list mine.json", "Lists names, kinds and numbers of samples")]
    ) { invocation, console in
        let library = try GestureLibrary(readingFrom: invocation.words[0])
        if invocation[Flags.format] == .json {
            try console.writeResult(JSONValue.array(library.gestures.map(LibraryListing.json)).document)
        } else {
            try console.writeResult(LibraryListing.text(library, console.resultStyle))
        }
        return .done
    }
}
