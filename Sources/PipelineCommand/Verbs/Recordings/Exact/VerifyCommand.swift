import Pipeline
import PipelineComponents
import Stages

extension Command {
    /// `pipectl verify FILE`.
    static let verify: Command = Command(
        "verify", "check the recording of a run against its manifest",
        details: """
            A recording that run --record wrote contains the digests (SHA-256) of its configuration and files, and of the frames \
            of each source and sink. The exit code is 0 if all digests match, and 1 if one does not.
            """,
        arguments: [Argument("FILE", "the recording of a run", completion: .files([".mcap"]))],
        flags: [Flags.format.description],
        examples: [Example("pipectl verify box.mcap", "Checks whether the recording is unchanged")]
    ) { invocation, console in
        let recording = try RunRecordingContents(invocation.words[0])
        let problems = recording.problems
        if invocation[Flags.format] == .json {
            try console.writeOutcome(
                JSONValue.object([
                    ("version", .integer(1)),
                    ("manifest", .array(recording.manifest.map { .array([.string($0.key), .string($0.value)]) })),
                    (
                        "problems",
                        .array(
                            problems.map {
                                .object([
                                    ("name", .string($0.name)), ("found", .string($0.found)),
                                    ("said", .string($0.declared)),
                                ])
                            })
                    ),
                ]).document)
            return problems.isEmpty ? .done : .failed
        }
        var table = Table([("", .left), ("", .left)])
        for (key, value) in recording.manifest { table.add([key, value]) }
        try console.writeOutcome(table.text(console.resultStyle))
        for problem in problems {
            console.error(
                "\(problem.name) is \(problem.found), but the manifest says \(problem.declared)", code: "box.damaged")
        }
        if problems.isEmpty { console.say("the recording is unchanged") }
        return problems.isEmpty ? .done : .failed
    }
}
