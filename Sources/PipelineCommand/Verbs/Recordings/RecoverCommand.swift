import Connectors
import MCAP
import Pipeline
import Stages

extension Command {
    /// `pipectl recover IN -o OUT`.
    static let recover: Command = Command(
        "recover", "save the readable parts of a damaged recording",
        details: """
            Reads an MCAP file that is cut off or damaged, and writes every intact chunk and record of it, with a new index. \
            Losses are reported with their positions. The exit code is 0 if nothing is lost, 5 if something is lost, and 1 if \
            there is nothing to save.
            """,
        arguments: [Argument("IN", "the recording, in MCAP", completion: .files([".mcap"]))],
        flags: [
            RecordingFlags.out.description, RecordingFlags.compression.description, RecordingFlags.force.description,
        ],
        examples: [Example("pipectl recover crashed.mcap -o saved.mcap", "Saves the data written before a crash")]
    ) { invocation, console in
        let path = invocation.words[0]
        guard let out = invocation[RecordingFlags.out] else {
            throw UsageError("--out is missing", help: "name the file to write: -o saved.mcap")
        }
        guard MCAPFile.isWritten(at: out) else {
            throw UsageError("recover writes MCAP", help: "end the name in .mcap: -o saved.mcap")
        }
        try RecordingFlags.checkOutput(out, inputs: [path], invocation)
        let recovery = RecordingRecovery(path)
        let compression = (invocation[RecordingFlags.compression] ?? .auto).ofChunks
        let interrupted = StopSignal()
        Signals.listen(console) { interrupted.request() }
        let outcome = try await ProgressReporter(measure: { recovery.bar }, console: console).during {
            try recovery.run(to: out, compression, until: interrupted)
        }
        guard !interrupted.isRequested else {
            throw PipelineError.interrupted(
                "\(out) contains only the first \(Counted.text(Int(outcome.messages), "message"))")
        }
        for loss in outcome.losses.prefix(20) {
            console.warning(
                "\(loss.reason)" + (loss.length > 0 ? " (\(ProgressBar.grouped(Int64(loss.length))) bytes)" : ""))
        }
        if outcome.lossCount > 20 { console.warning("and \(outcome.lossCount - 20) more places") }
        guard outcome.records > 0 else {
            console.error("there is nothing to save in \(path)", code: "recover.nothing")
            return .failed
        }
        console.say("\(Counted.text(Int(outcome.messages), "message")) saved in \(out)")
        if outcome.lossCount == 0, !outcome.hadIndex { console.say("nothing is lost: the index was written again") }
        return outcome.lossCount == 0 ? .done : .partly
    }
}
