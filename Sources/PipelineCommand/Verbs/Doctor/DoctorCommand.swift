import Pipeline
import PipelineComponents
import PipelineConfiguration

extension Command {
    /// `pipectl doctor [CONFIG…]`.
    static let doctor: Command = Command(
        "doctor", "check whether this machine can run pipelines",
        details: """
            Checks the libraries, the clocks and the limits of the machine. If pipelines are named, also checks the files that \
            they read and write, the free space on disks, and the addresses that they bind. Nothing is written or run. Each \
            problem is shown with its remedy.

            The exit code is 0 if there are no errors (warnings are allowed), 2 if a pipeline is wrong, and 3 otherwise.
            """,
        arguments: [
            Argument(
                "CONFIG", "the pipelines, in YAML: files, folders", arity: .any,
                completion: .files([".yaml", ".yml"]))
        ],
        flags: [PipelineLoading.set.description, Flags.format.description],
        examples: [
            Example("pipectl doctor", "Checks the machine"),
            Example("pipectl doctor /etc/pipeline/lab.yaml", "Checks whether a pipeline could run here now"),
            Example(
                "sudo -u lab pipectl doctor --format=json lab.yaml", "Checks as the user that will run it, as JSON"
            ),
        ]
    ) { invocation, console in
        var findings = [Machine.build(invocation.tool)] + Libraries.findings + Machine.clocks + [Machine.openFiles]
        var refusal: ExitCode?
        for path in paths(invocation.words, console, &refusal) {
            let loaded = PipelineLoading.load(path, invocation, console)
            PipelineLoading.say(loaded, on: console)
            if loaded.plan == nil, refusal != .configuration {
                refusal = loaded.isEnvironmentProblem ? .environment : .configuration
            }
            findings += Surroundings.findings(of: loaded)
        }
        let errors = findings.count { $0.state == .error }
        if invocation[Flags.format] == .json {
            let report = JSONValue.object([
                ("version", .integer(1)), ("findings", .array(findings.map(\.json))), ("errors", .integer(errors)),
                ("warnings", .integer(findings.count { $0.state == .warning })),
            ])
            try console.writeOutcome(report.document)
        } else {
            let width = findings.map(\.subject.shown.count).max() ?? 0
            try console.writeOutcome(findings.map { $0.lines(width: width, console.resultStyle) }.joined())
        }
        return refusal ?? (errors == 0 ? .done : .environment)
    }

    /// Returns the paths of the configurations that `words` name. Reports errors instead of throwing them, so that the machine is
    /// checked in any case.
    private static func paths(_ words: [String], _ console: Console, _ refusal: inout ExitCode?) -> [String] {
        words.flatMap { word in
            do { return try PipelineLoading.paths([word]) } catch {
                console.error(PipelineError(wrapping: error))
                refusal = .environment
                return []
            }
        }
    }
}
