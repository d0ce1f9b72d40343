import Pipeline

/// A pipeline for a random-graph test, as data: what its sources produce and what its stages do.
///
/// ``GraphModel`` computes the expected results, and ``GraphRunner`` runs the pipeline on the engine.
struct Graph: Sendable {
    /// One component. Its inputs are nodes with lower indices.
    struct Node: Sendable {
        var name: String
        var kind: Kind
        /// The nodes that it takes input from, in order.
        var from: [Int] = []
        /// The limits of each edge into the node.
        var limits: Limits?
        /// Whether several workers divide the streams of this stage, and of the stages that it calls directly, among themselves.
        var isShared = false
    }

    /// Limits whose effects depend on timing, in a live run.
    struct Limits: Sendable, Hashable {
        /// The number of frames of an edge that may be in flight.
        var inFlight: Int?
        /// The number of milliseconds after which a frame no longer counts as in flight.
        var timeoutMs: Double?
        /// The number of milliseconds without frames after which an edge no longer delays sets.
        var idleTimeoutMs: Double?
    }

    enum Kind: Sendable {
        case source([Event])
        case stage(Work)
        /// An asynchronous stage with the given number of concurrent calls per stream.
        case asyncStage(Work, inFlight: Int)
        /// Aligns frames of several edges, and computes one number from each set.
        case join(Alignment.Rule, tolerance: Int64, pair: Alignment.Pairing)
        /// A sink, either with its own thread or called directly by the previous node.
        case sink(mayBlock: Bool)
        /// A sink for the frames that a stage could not process.
        case errorSink
    }

    /// Something that a source produces.
    enum Event: Sendable, Hashable {
        case frame(Item)
        /// The transport has lost frames of a stream.
        case lost(Int, String)
        /// A watermark of all streams.
        case bound(Int64)
        /// A stream has ended. Later frames with this name belong to another stream.
        case end(String)
    }

    /// A frame as a source produces it.
    struct Item: Sendable, Hashable {
        var stream: String
        /// The timestamp in microseconds.
        var time: Int64
        var sequence: Int64
        var value: Int
        /// The arrival time in a live run, in microseconds after the start of the run.
        var arrival: Int64
    }

    var seed: UInt64
    var isLive: Bool
    /// Whether stages are woken by the clock, and edges have time-outs.
    var isTimed = false
    /// The maximum number of streams with state.
    var maxStreams: Int?
    /// The maximum idle time of a stream in microseconds.
    var idle: Int64?
    var nodes: [Node] = []

    /// Whether the model can predict the results. If not, the run must not hang, its ledger must balance, and its results must be
    /// the same every time.
    var isModeled: Bool { maxStreams == nil && !isTimed }

    /// Whether one source may evict a stream whose name another source uses too. The eviction ends the stream. Its later frames
    /// may be late where the two sources meet, and the run then fails every time.
    var mayCollide: Bool {
        let sources = nodes.compactMap { node -> Set<String>? in
            guard case .source(let events) = node.kind else { return nil }
            return Set(events.compactMap { if case .frame(let item) = $0 { item.stream } else { nil } })
        }
        let names = sources.reduce(into: Set<String>()) { $0.formUnion($1) }
        return maxStreams != nil && !isLive && sources.reduce(0) { $0 + $1.count } > names.count
    }

    /// The indices of the sinks.
    var sinks: [Int] {
        nodes.indices.filter {
            switch nodes[$0].kind {
            case .sink, .errorSink: true
            default: false
            }
        }
    }
}

/// What a stage of a random graph does with the numbers of one stream.
enum Work: Hashable, Sendable {
    /// Passes on the frame itself.
    case pass
    case add(Int)
    /// Drops numbers that are divisible by the divisor.
    case filter(Int)
    /// Emits the given count of numbers for each number.
    case copies(Int)
    /// Emits zero to three numbers for each number, depending on the number.
    case spread
    /// Emits each number when the next one arrives, and the last one at the end.
    case hold
    /// Emits the last number when its stream has been quiet for the given number of microseconds.
    case rest(Int64)
    /// Emits the sum of each group of the given size, and at the end the sum of the rest.
    case sum(Int)
    /// Cannot process numbers that are divisible by the divisor.
    case fail(Int)
    /// Emits two numbers for each number, the first of them the given number of microseconds earlier.
    case early(Int64)
    /// Splits a number into parts, and processes each part with its own stages.
    case each([Work])
    /// Renames streams: all streams whose names do not begin with `keeps` get the same name.
    case rename(to: String, keeps: String)
}

extension Graph: CustomStringConvertible {
    var description: String {
        let lines = nodes.map { node in
            let from = node.from.map { nodes[$0].name }.joined(separator: ", ")
            return "  \(node.name): \(node.kind.words)" + (from.isEmpty ? "" : "  from \(from)")
                + (node.limits.map { "  \($0)" } ?? "") + (node.isShared ? "  shared" : "")
        }
        let limits =
            (maxStreams.map { ", \($0) streams at most" } ?? "") + (idle.map { ", idle after \($0) µs" } ?? "")
            + (isTimed ? ", timed" : "")
        return "graph \(seed), \(isLive ? "live" : "batch")\(limits) (PIPELINE_GRAPH_SEED=\(seed) repeats it)\n"
            + lines.joined(separator: "\n")
    }
}

extension Graph.Kind {
    fileprivate var words: String {
        switch self {
        case .source(let events): "source of " + events.map(\.words).joined(separator: " ")
        case .stage(let work): "\(work)"
        case .asyncStage(let work, let inFlight): "asynchronous \(work), \(inFlight) at a time"
        case .join(let rule, let tolerance, let pair):
            "join, \(rule), pair: \(pair)" + (tolerance > 0 ? " within \(tolerance) µs" : "")
        case .sink(let mayBlock): mayBlock ? "sink that may block" : "sink"
        case .errorSink: "sink of errors"
        }
    }
}

extension Graph.Event {
    fileprivate var words: String {
        switch self {
        case .frame(let item): "\(item.stream)\(item.sequence)@\(item.time)=\(item.value)"
        case .lost(let count, let stream): "(\(count) of \(stream) lost)"
        case .bound(let time): "(all to \(time))"
        case .end(let stream): "(\(stream) ends)"
        }
    }
}
