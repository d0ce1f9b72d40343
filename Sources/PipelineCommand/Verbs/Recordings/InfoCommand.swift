import Connectors
import Pipeline
import PipelineComponents
import Stages

extension Command {
    /// `pipectl info FILE…`.
    static let info: Command = Command(
        "info", "list the contents of recordings",
        details: """
            Lists the streams with their kind, their number of frames and their frames per second. For MCAP, it also lists the \
            chunks and their compression, attachments, metadata, and whether the file has an index or was cut off. An MCAP \
            file with an index is not read completely; all other files are. The exit code is 1 if nothing in a file can be read. \
            An error in one file does not hide the others. If a file of JSON Lines has messages of another shape, it suggests a \
            pipeline that reads them. `-` is standard input, whose kind of frames --kind names.
            """,
        arguments: [
            Argument("FILE", "recordings", arity: .many, completion: .files(RecordingEndings.all))
        ],
        flags: [RecordingFlags.kind.description, Flags.format.description],
        examples: [
            Example("pipectl info Samples/session.jsonl", "Lists the streams of a recording"),
            Example("pipectl info session.mcap --format=json", "Writes the same as data"),
        ]
    ) { invocation, console in
        var infos: [RecordingInfo] = []
        var codes: [ExitCode] = []
        for path in invocation.words.map(RecordingFlags.input) {
            do {
                let info =
                    MCAPFile.isRead(at: path)
                    ? try RecordingInfo.ofMCAP(path)
                    : try await RecordingInfo.ofFrames(path, invocation, console)
                infos.append(info)
                codes.append(info.isUnreadable ? .failed : .done)
            } catch {
                codes.append(invocation.tool.report(error, console))
            }
        }
        let worst = codes.max { $0.rawValue < $1.rawValue } ?? .done
        guard !infos.isEmpty else { return worst }
        if invocation[Flags.format] == .json {
            try console.writeResult(JSONValue.array(infos.map(\.json)).document)
        } else {
            try console.writeResult(infos.map { $0.text(console.resultStyle) }.joined(separator: "\n"))
        }
        return worst
    }
}
