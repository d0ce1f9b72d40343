import Pipeline
import PipelineComponents

/// The top-level keys of a configuration, declared like the options of a component.
struct TopLevelOptions: ComponentOptions {
    @Option("Version of the configuration format.")
    var version: ConfigNode?

    @Option("Name of the pipeline.")
    var name = "pipeline"

    @Option("How the pipeline treats time and loss.")
    var mode = Mode.batch

    @Option("Edges between sources and stages in live mode.")
    var live = LiveOptions()

    @Option("Time that a run may take to drain after it was told to stop.", in: 0...86_400_000)
    var shutdownTimeoutMs = 5000

    @Option(
        "Number of streams that keep state at the same time. The least recently seen stream is evicted first.",
        in: 1...10_000_000)
    var maxStreams = 10_000

    @Option("Stream time without a frame after which a stream is finished.", in: 1...1e12)
    var streamIdleMs: Double?

    @Option("Time that a live stream waits for frames that are still in flight.", in: 0...1e9)
    var latenessMs = 50.0

    @Option("What happens to a frame that arrives after the watermark of its live stream has passed it.")
    var onLate = LatePolicy.drop

    @Option("Server for watching the run, in a browser or by other programs.")
    var serve: ServeOptions?

    @Option("Where frames come from.")
    var sources: ConfigNode?

    @Option("What turns frames into other frames, in order.")
    var stages: ConfigNode?

    @Option("Where frames go.")
    var sinks: ConfigNode?

    @Option("Tests of the whole graph in virtual time.")
    var tests: ConfigNode?

    /// Returns whether an unknown key of a configuration is probably a misspelling of `key`. If so, it has already been reported.
    static func isMisspelled(_ key: String, in root: ConfigNode) -> Bool {
        let known = options.map(\.name)
        let unknown = (root.mapping ?? []).map(\.key).filter { !known.contains($0) }
        return unknown.prefix(50).contains { nearestName(to: $0, among: known) == key }
    }
}

/// The keys that every component has in addition to its own options.
struct ComponentKeys: ComponentOptions {
    @Option("Name by which other components refer to this component; the component's own name by default.")
    var id: String?

    @Option("Where the frames of this component come from: an id, a list of ids, or edges with policies.")
    var from: ConfigNode?

    @Option("What happens to a frame that cannot be decoded or processed.")
    var onError: ErrorPolicy?
}

/// The keys that every stage has in addition to its own options.
struct StageKeys: ComponentOptions {
    @Option(
        "Number of workers that share the streams of this stage and of the stages that it calls directly. The results do not depend on the number.",
        in: 1...256)
    var workers: Int?
}

/// The keys that every source has in addition to its own options.
struct SourceKeys: ComponentOptions {
    @Option("What happens to a frame whose timestamp breaks the order of its stream.")
    var onDisorder: DisorderPolicy?

    @Option("Largest jump forward of a timestamp. A larger one counts as disorder.", in: 0.001...9_007_199_254)
    var maxJumpS = 3600.0
}

/// The keys of an edge in a `from` list: the upstream component and the policy.
struct EdgeOptions: ComponentOptions {
    @Option("Component that sends the frames.", isRequired: true, example: "camera")
    var id = ""

    @Option(
        "Number of frames that the edge holds, by default 256 in batch mode and 64 in live mode; with in_flight, number of frames of each stream that may wait.",
        in: 0...1_000_000)
    var capacity: Int?

    @Option("Stream time that the edge holds.", in: 0.001...1e12)
    var capacityMs: Double?

    @Option("What happens to a frame when the edge is full.")
    var onFull: EdgePolicy.OnFull?

    @Option("Number of frames that may be in flight downstream of the edge (live mode).", in: 1...1_000_000)
    var inFlight: Int?

    @Option("Time after which an unfinished frame no longer counts as in flight (live mode).", in: 0.001...1e9)
    var timeoutMs: Double?

    @Option("Time that a silent edge delays the others (aligned inputs in live mode).", in: 0.001...1e9)
    var idleTimeoutMs: Double?
}

extension EdgeOptions {
    /// Returns `base`, with the configured values in place of its own.
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

/// The options of the edges that leave a source in live mode, which drop frames while their consumer is busy.
struct LiveOptions: OptionGroup {
    @Option("Number of frames that may be in flight downstream of each of these edges.", in: 1...1_000_000)
    var inFlight = LiveDefaults().inFlight

    @Option("Number of frames of each stream that may wait.", in: 0...1_000_000)
    var capacity = LiveDefaults().capacity

    @Option("What happens to a frame when no more frames may wait.")
    var onFull = LiveDefaults().onFull

    @Option("Time after which an unfinished frame no longer counts as in flight.", in: 0.001...1e9)
    var timeoutMs: Double?

    /// These options in the form that the engine uses.
    var defaults: LiveDefaults {
        var defaults = LiveDefaults()
        (defaults.inFlight, defaults.capacity) = (inFlight, capacity)
        (defaults.onFull, defaults.timeoutMs) = (onFull, timeoutMs)
        return defaults
    }
}
