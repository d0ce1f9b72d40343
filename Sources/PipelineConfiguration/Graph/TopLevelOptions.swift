import Pipeline
import PipelineComponents

/// What stands at the top level of a configuration, declared as the options of a component are.
struct TopLevelOptions: ComponentOptions {
    var version: ConfigNode?
    var name = "pipeline"
    var mode = Mode.batch
    var live = LiveDefaults()
    var shutdownTimeoutMs = 5000
    var maxStreams = 10_000
    var streamIdleMs: Double?
    var latenessMs = 50.0
    var onLate = LatePolicy.drop
    var sources: ConfigNode?
    var stages: ConfigNode?
    var sinks: ConfigNode?
    var tests: ConfigNode?

    static var options: [Option<TopLevelOptions>] {
        Option("version", \.version, "The version of the configuration's format.")
        Option("name", \.name, "The pipeline's name.")
        Option("mode", \.mode, "How time and loss are treated.")
        Option("live", \.live, "The edges between sources and stages in live mode.")
        Option(
            "shutdown_timeout_ms", \.shutdownTimeoutMs, in: 0...86_400_000,
            "How long a run may take to drain after it was told to stop, in milliseconds.")
        Option(
            "max_streams", \.maxStreams, in: 1...10_000_000,
            "How many streams have state at a time; the least recently seen goes first.")
        Option(
            "stream_idle_ms", \.streamIdleMs, in: 1...1e12,
            "After how much stream time without a frame a stream is finished, in milliseconds.")
        Option(
            "lateness_ms", \.latenessMs, in: 0...1e9,
            "How long a live stream's time waits for frames that are under way, in milliseconds.")
        Option("on_late", \.onLate, "What becomes of a frame that comes after its live stream's time has passed it.")
        Option("sources", \.sources, "Where frames come from.")
        Option("stages", \.stages, "What turns frames into frames, in order.")
        Option("sinks", \.sinks, "Where frames go.")
        Option("tests", \.tests, "Tests of the whole graph in virtual time.")
    }
}

/// Keys that every component has beside its own options.
struct ComponentKeys: ComponentOptions {
    var id: String?
    var from: ConfigNode?
    var onError: ErrorPolicy?

    static var options: [Option<ComponentKeys>] {
        Option("id", \.id, "The name other components refer to it by; by default the component's name.")
        Option("from", \.from, "Where its frames come from: an id, a list of ids, or edges with their policies.")
        Option("on_error", \.onError, "What becomes of a frame that cannot be decoded or processed.")
    }
}

/// Keys that every source has beside its own options.
struct SourceKeys: ComponentOptions {
    var onDisorder: DisorderPolicy?
    var maxJumpS = 3600.0

    static var options: [Option<SourceKeys>] {
        Option("on_disorder", \.onDisorder, "What becomes of a frame whose timestamp breaks its stream's order.")
        Option(
            "max_jump_s", \.maxJumpS, in: 0.001...9_007_199_254,
            "How far ahead a timestamp may jump before it counts as disorder, in seconds.")
    }
}

/// An edge in a `from` list that states more than where it begins.
struct EdgeOptions: ComponentOptions {
    var id = ""
    var capacity: Int?
    var capacityMs: Double?
    var onFull: EdgePolicy.OnFull?
    var inFlight: Int?
    var timeoutMs: Double?
    var idleTimeoutMs: Double?

    static var options: [Option<EdgeOptions>] {
        Option("id", \.id, "Where the edge begins.", isRequired: true, example: "camera")
        Option(
            "capacity", \.capacity, in: 0...1_000_000,
            "How many frames it holds, 64 unless given; with in_flight, how many of each stream may wait.")
        Option("capacity_ms", \.capacityMs, in: 0.001...1e12, "How much stream time it holds, in milliseconds.")
        Option("on_full", \.onFull, "What becomes of a frame that finds it full.")
        Option(
            "in_flight", \.inFlight, in: 1...1_000_000, "How many frames may be unfinished behind it (live mode).")
        Option(
            "timeout_ms", \.timeoutMs, in: 0.001...1e9,
            "How long an unfinished frame counts, in milliseconds (live mode).")
        Option(
            "idle_timeout_ms", \.idleTimeoutMs, in: 0.001...1e9,
            "How long a silent edge holds others back, in milliseconds (aligned inputs in live mode).")
    }
}

extension EdgeOptions {
    /// What was written, on top of what holds otherwise.
    func policy(over base: EdgePolicy) -> EdgePolicy {
        var policy = base
        if let inFlight { policy.inFlight = inFlight }
        if let capacity { policy.capacity = capacity }
        if let capacityMs { policy.capacityMs = capacityMs }
        if let onFull { policy.onFull = onFull }
        if let timeoutMs { policy.timeoutMs = timeoutMs }
        if let idleTimeoutMs { policy.idleTimeoutMs = idleTimeoutMs }
        return policy
    }
}

extension LiveDefaults: OptionGroup {
    package static var options: [Option<LiveDefaults>] {
        Option("in_flight", \.inFlight, in: 1...1_000_000, "How many frames may be unfinished behind such an edge.")
        Option("capacity", \.capacity, in: 0...1_000_000, "How many frames of each stream may wait.")
        Option("on_full", \.onFull, "What becomes of a frame that finds no room.")
        Option("timeout_ms", \.timeoutMs, in: 0.001...1e9, "How long an unfinished frame counts, in milliseconds.")
    }
}
