import PipelineComponents

/// The keys of a test in a configuration's `tests`, declared like the options of a component.
struct TestOptions: ComponentOptions {
    @Option("What the test shows, in a sentence.", isRequired: true, example: "a slow stage loses nothing")
    var name = ""

    @Option("Time that one character of a timeline stands for.", in: 0.001...1e6)
    var tickMs = 1.0

    @Option(
        "What the letters of timelines stand for: frames, or only the fields that matter.",
        shape: .map(of: Self.object))
    var legend: ConfigNode?

    @Option(
        "Frames of each source and their times: a timeline or a list of frames. A source that is not named emits nothing.",
        name: "in", shape: .map(of: Self.frames))
    var input: ConfigNode?

    @Option(
        "Time that a stage or sink takes for each frame, in milliseconds.", shape: .map(of: .number(min: 0, max: 1e9)))
    var serviceMs: ConfigNode?

    @Option(
        "All frames that come out of a source, stage or sink: a timeline or a list. Components that are not named are not checked.",
        name: "out", shape: .map(of: Self.frames))
    var output: ConfigNode?

    @Option(
        "All dropped frames, by place and reason. Without this key, drops are not checked.",
        shape: .list(of: .group(TestDropOptions.options)))
    var drops: ConfigNode?

    @Option(
        "Expected counts of the ledger, by component: in, out, passed, absorbed, dropped, failed, lost.",
        shape: .map(of: .map(of: .integer(min: 0, max: nil))))
    var ledger: ConfigNode?

    @Option("Code of the error that ends the run. Without it, the run must succeed.")
    var fails: String?

    @Option("Largest difference between a number and the expected one.", in: 0...1e6)
    var tolerance = 1e-6

    private static let object = ValueSchema.map(of: .anyOf([]))
    fileprivate static let frames = ValueSchema.anyOf([.string, .list(of: Self.object)])
}

/// The keys of an item in a test's `drops`: the frames that are dropped at one place for one reason.
struct TestDropOptions: ComponentOptions {
    @Option(
        "Component or edge (`pen -> resample`) that drops the frames.", name: "where", isRequired: true,
        example: "pen -> resample")
    var place = ""

    @Option("Reason for the drop.", name: "why", isRequired: true, example: "edge_full")
    var reason = ""

    @Option(
        "The dropped frames, at their timestamps: a timeline, or a list of stream, seq and t_us.",
        shape: TestOptions.frames,
        isRequired: true, example: "\"-a-a\"")
    var frames: ConfigNode?
}
