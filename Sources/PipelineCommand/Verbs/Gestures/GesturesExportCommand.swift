import Connectors
import Pipeline
import Stages

extension Command {
    private static let kind = Flag<GestureLibrary.GestureKind>.choice(
        "kind", default: .stroke, "Writes the strokes, only the motions among them, the hands, or the bare bitmaps")

    /// `pipectl gestures export LIBRARY`.
    static let gesturesExport: Command = Command(
        "export", "write the samples of a library as JSON Lines",
        details: """
            Writes one stroke per line, labeled with its gesture's name, as the stdout and file sinks write them; with \
            --kind=bitmap the bare bitmaps, which have no strokes, and with --kind=hand21 one hand per line.
            """,
        arguments: [LibraryFile.argument], flags: [kind.description],
        examples: [Example("pipectl gestures export mine.json > mine.jsonl", "Writes every sample")]
    ) { invocation, console in
        let library = try GestureLibrary(readingFrom: invocation.words[0])
        let kind = invocation[kind] ?? .stroke
        let bare = library.gestures.reduce(0) { $0 + $1.patterns.count }
        if kind == .stroke, bare > 0 {
            console.warning("\(Counted.text(bare, "bare bitmap")) left out; --kind=bitmap writes such bitmaps")
        }
        let hands = library.gestures.reduce(0) { $0 + $1.hands.count }
        if kind == .stroke, hands > 0 {
            console.warning("\(Counted.text(hands, "hand")) left out; --kind=hand21 writes hands")
        }
        try LibraryListing.export(library, kind) { try console.writeResult($0) }
        return .done
    }
}
