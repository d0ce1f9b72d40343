import PipelineComponents

/// One test of a configuration's `tests`, declared as the options of a component are.
struct TestOptions: ComponentOptions {
    var name = ""
    var tickMs = 1.0
    var tolerance = 1e-6
    var legend: ConfigNode?
    var input: ConfigNode?
    var serviceMs: ConfigNode?
    var output: ConfigNode?
    var drops: ConfigNode?
    var ledger: ConfigNode?
    var fails: String?

    private static let object = ValueSchema.map(of: .anyOf([]))
    fileprivate static let frames = ValueSchema.anyOf([.string, .list(of: object)])

    static var options: [Option<TestOptions>] {
        Option(
            "name", \.name, "What is tested, in a sentence.", isRequired: true, example: "a slow stage loses nothing")
        Option("tick_ms", \.tickMs, in: 0.001...1e6, "How long a character of a timeline is, in milliseconds.")
        Option(
            "legend", \.legend, shape: .map(of: object),
            "What the letters of timelines stand for: frames, or as much of them as counts.")
        Option(
            "in", \.input, shape: .map(of: frames),
            "What each source brings and when: a timeline, or a list of frames. A source not named brings nothing.")
        Option(
            "service_ms", \.serviceMs, shape: .map(of: .number(min: 0, max: 1e9)),
            "How long a stage or sink takes for each frame, in milliseconds.")
        Option(
            "out", \.output, shape: .map(of: frames),
            "All that comes out of a sink, stage or source: a timeline, or a list of frames. One not named is not looked at."
        )
        Option(
            "drops", \.drops, shape: .list(of: .group(TestDropOptions.options.map(\.description))),
            "All frames that are dropped, by place and reason. Not looked at unless given.")
        Option(
            "ledger", \.ledger, shape: .map(of: .map(of: .integer(min: 0, max: nil))),
            "Counts of the account, by component: in, out, passed, absorbed, dropped, failed, lost.")
        Option("fails", \.fails, "The code of the error that ends the run; without it the run must succeed.")
        Option(
            "tolerance", \.tolerance, in: 0...1e6,
            "How far a number may be from what is expected.")
    }
}

/// The frames that are dropped at one place for one reason.
struct TestDropOptions: ComponentOptions {
    var place = ""
    var reason = ""
    var frames: ConfigNode?

    static var options: [Option<TestDropOptions>] {
        Option(
            "where", \.place, "The component or the edge (`pen -> resample`) that drops them.", isRequired: true,
            example: "pen -> resample")
        Option("why", \.reason, "The reason.", isRequired: true, example: "edge_full")
        Option(
            "frames", \.frames, shape: TestOptions.frames,
            "The frames, at their own times: a timeline, or a list of stream, seq and t_us.", isRequired: true,
            example: "\"-a-a\"")
    }
}
