import PipelineComponents

/// One test of a configuration's `tests`, declared as the options of a component are.
struct TestOptions: ComponentOptions {
    @Option("What is tested, in a sentence.", isRequired: true, example: "a slow stage loses nothing")
    var name = ""

    @Option("How long a character of a timeline is, in milliseconds.", in: 0.001...1e6)
    var tickMs = 1.0

    @Option(
        "What the letters of timelines stand for: frames, or as much of them as counts.",
        shape: .map(of: Self.object))
    var legend: ConfigNode?

    @Option(
        "What each source brings and when: a timeline, or a list of frames. A source not named brings nothing.",
        name: "in", shape: .map(of: Self.frames))
    var input: ConfigNode?

    @Option(
        "How long a stage or sink takes for each frame, in milliseconds.", shape: .map(of: .number(min: 0, max: 1e9)))
    var serviceMs: ConfigNode?

    @Option(
        "All that comes out of a sink, stage or source: a timeline, or a list of frames. One not named is not looked at.",
        name: "out", shape: .map(of: Self.frames))
    var output: ConfigNode?

    @Option(
        "All frames that are dropped, by place and reason. Not looked at unless given.",
        shape: .list(of: .group(TestDropOptions.options)))
    var drops: ConfigNode?

    @Option(
        "Counts of the account, by component: in, out, passed, absorbed, dropped, failed, lost.",
        shape: .map(of: .map(of: .integer(min: 0, max: nil))))
    var ledger: ConfigNode?

    @Option("The code of the error that ends the run; without it the run must succeed.")
    var fails: String?

    @Option("How far a number may be from what is expected.", in: 0...1e6)
    var tolerance = 1e-6

    private static let object = ValueSchema.map(of: .anyOf([]))
    fileprivate static let frames = ValueSchema.anyOf([.string, .list(of: Self.object)])
}

/// The frames that are dropped at one place for one reason.
struct TestDropOptions: ComponentOptions {
    @Option(
        "The component or the edge (`pen -> resample`) that drops them.", name: "where", isRequired: true,
        example: "pen -> resample")
    var place = ""

    @Option("The reason.", name: "why", isRequired: true, example: "edge_full")
    var reason = ""

    @Option(
        "The frames, at their own times: a timeline, or a list of stream, seq and t_us.",
        shape: TestOptions.frames,
        isRequired: true, example: "\"-a-a\"")
    var frames: ConfigNode?
}
