import Pipeline
import PipelineComponents

/// What stands at the top level of a configuration, declared as the options of a component are.
struct TopLevelOptions: ComponentOptions {
    @Option("The version of the configuration's format.")
    var version: ConfigNode?

    @Option("The pipeline's name.")
    var name = "pipeline"

    @Option("How time and loss are treated.")
    var mode = Mode.batch

    @Option("The edges between sources and stages in live mode.")
    var live = LiveOptions()

    @Option("How long a run may take to drain after it was told to stop, in milliseconds.", in: 0...86_400_000)
    var shutdownTimeoutMs = 5000

    @Option(
        "How many streams have state at a time; the least recently seen goes first.",
        in: 1...10_000_000)
    var maxStreams = 10_000

    @Option("After how much stream time without a frame a stream is finished, in milliseconds.", in: 1...1e12)
    var streamIdleMs: Double?

    @Option("How long a live stream's time waits for frames that are under way, in milliseconds.", in: 0...1e9)
    var latenessMs = 50.0

    @Option("What becomes of a frame that comes after its live stream's time has passed it.")
    var onLate = LatePolicy.drop

    @Option("Where frames come from.")
    var sources: ConfigNode?

    @Option("What turns frames into frames, in order.")
    var stages: ConfigNode?

    @Option("Where frames go.")
    var sinks: ConfigNode?

    @Option("Tests of the whole graph in virtual time.")
    var tests: ConfigNode?
}

/// Keys that every component has beside its own options.
struct ComponentKeys: ComponentOptions {
    @Option("The name other components refer to it by; by default the component's name.")
    var id: String?

    @Option("Where its frames come from: an id, a list of ids, or edges with their policies.")
    var from: ConfigNode?

    @Option("What becomes of a frame that cannot be decoded or processed.")
    var onError: ErrorPolicy?
}

/// Keys that every source has beside its own options.
struct SourceKeys: ComponentOptions {
    @Option("What becomes of a frame whose timestamp breaks its stream's order.")
    var onDisorder: DisorderPolicy?

    @Option("How far ahead a timestamp may jump before it counts as disorder, in seconds.", in: 0.001...9_007_199_254)
    var maxJumpS = 3600.0
}

/// An edge in a `from` list that states more than where it begins.
struct EdgeOptions: ComponentOptions {
    @Option("Where the edge begins.", isRequired: true, example: "camera")
    var id = ""

    @Option(
        "How many frames it holds, 64 unless given; with in_flight, how many of each stream may wait.",
        in: 0...1_000_000)
    var capacity: Int?

    @Option("How much stream time it holds, in milliseconds.", in: 0.001...1e12)
    var capacityMs: Double?

    @Option("What becomes of a frame that finds it full.")
    var onFull: EdgePolicy.OnFull?

    @Option("How many frames may be unfinished behind it (live mode).", in: 1...1_000_000)
    var inFlight: Int?

    @Option("How long an unfinished frame counts, in milliseconds (live mode).", in: 0.001...1e9)
    var timeoutMs: Double?

    @Option("How long a silent edge holds others back, in milliseconds (aligned inputs in live mode).", in: 0.001...1e9)
    var idleTimeoutMs: Double?
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

/// What a live pipeline does on the edges between its sources and its stages: drop while busy.
struct LiveOptions: OptionGroup {
    @Option("How many frames may be unfinished behind such an edge.", in: 1...1_000_000)
    var inFlight = LiveDefaults().inFlight

    @Option("How many frames of each stream may wait.", in: 0...1_000_000)
    var capacity = LiveDefaults().capacity

    @Option("What becomes of a frame that finds no room.")
    var onFull = LiveDefaults().onFull

    @Option("How long an unfinished frame counts, in milliseconds.", in: 0.001...1e9)
    var timeoutMs: Double?

    /// The same for a run.
    var defaults: LiveDefaults {
        var defaults = LiveDefaults()
        (defaults.inFlight, defaults.capacity) = (inFlight, capacity)
        (defaults.onFull, defaults.timeoutMs) = (onFull, timeoutMs)
        return defaults
    }
}
