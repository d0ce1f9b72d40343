import Connectors
import Pipeline
import Stages

extension Command {
    private static let from = Flag.text(
        "from", placeholder: "RECORDING", "Takes samples from RECORDING, in addition to those of DATA, if any")
    private static let between = Flag<TimeSpan>.parsed(
        "between", placeholder: "FROM..TO", wanted: "two times after the first frame: 1s..2500ms",
        "Takes only samples between two times after the first frame of RECORDING"
    ) { TimeSpan($0) }

    /// `pipectl gestures add LIBRARY GESTURE [DATA…]`.
    static let gesturesAdd: Command = Command(
        "add", "add samples from a file, or a part of it, to one gesture",
        details: "The library is created if it does not exist.",
        arguments: [
            LibraryFile.argument, LibraryFile.gestureArgument,
            Argument(
                LibraryFile.dataArgument.name, LibraryFile.dataArgument.summary, arity: .any,
                completion: .files([])),
        ],
        flags: [from.description, between.description, LibraryFile.kindFlag.description],
        examples: [
            Example(
                "pipectl gestures add mine.json star star.jsonl", "Adds the strokes of a recording as samples of star"),
            Example(
                "pipectl gestures add mine.json pinch --from=hands.jsonl --between=2s..3.5s",
                "Adds the hands of 1.5 seconds of a recording as samples of pinch"),
        ]
    ) { invocation, console in
        let (path, name) = (invocation.words[0], invocation.words[1])
        do throws(PipelineError) {
            try GestureLibrary.check(name: name)
        } catch {
            throw UsageError(error.message, help: "name a gesture: pipectl gestures add LIBRARY GESTURE DATA")
        }
        let data = invocation.words.dropFirst(2)
        let recording = invocation[from]
        guard !data.isEmpty || recording != nil else {
            throw UsageError(
                "DATA is missing", help: "name a file, or take a part of one: --from=RECORDING --between=1s..2s")
        }
        if invocation[between] != nil, recording == nil {
            throw UsageError("--between requires --from", help: "add --from=RECORDING")
        }
        var library = try LibraryFile.readOrNew(path)
        let kind = invocation[LibraryFile.kindFlag]
        var counts = try await LibraryFile.importSamples(
            data, of: kind, as: name, into: &library, console, GestureReading.Reading())
        if let recording {
            let part = GestureReading.Reading(between: invocation[between])
            counts += try await LibraryFile.importSamples(
                [recording], of: kind, as: name, into: &library, console, part)
        }
        guard counts.imported + counts.duplicates > 0 else {
            throw PipelineError.environment("gestures.nothing", "there is nothing to add to \(name)")
        }
        try library.write(to: path)
        console.say("\(path): \(Counted.text(counts.imported, "sample")) added to \(name)")
        return .done
    }
}
