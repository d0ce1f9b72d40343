import Pipeline

/// A pipeline of a random-graph test, in words: what its sources bring and what its stages do.
///
/// ``GraphModel`` works out what must come of it, and ``GraphRunner`` lets the engine do it.
struct Graph: Sendable {
    /// One component. It takes from nodes before it.
    struct Node: Sendable {
        var name: String
        var kind: Kind
        /// The nodes it takes from, in order.
        var from: [Int] = []
        /// What the edges into it wait for, and for how long.
        var limits: Limits?
        /// Whether workers share its streams, and those of the stages behind it that it calls directly.
        var isShared = false
    }

    /// What depends on when things happen, in a live run.
    struct Limits: Sendable, Hashable {
        /// How many frames of an edge may be unfinished.
        var slots: Int?
        /// After how many milliseconds one of them no longer counts.
        var timeoutMs: Double?
        /// After how many milliseconds of silence an edge no longer holds sets back.
        var idleTimeoutMs: Double?
    }

    enum Kind: Sendable {
        case source([Event])
        case stage(Work)
        /// An asynchronous stage with so many calls under way for each stream.
        case asyncStage(Work, inFlight: Int)
        /// Puts frames of several edges together, one number for each set.
        case join(Alignment.Rule, tolerance: Int64, pair: Alignment.Pairing)
        /// A sink, on a thread of its own or called by what stands before it.
        case sink(mayBlock: Bool)
        /// A sink of what a stage could not process.
        case errorSink
    }

    /// Something that a source brings.
    enum Event: Sendable, Hashable {
        case frame(Item)
        /// A wire has lost frames of a stream.
        case lost(Int, String)
        /// No stream brings anything at or before this time any more.
        case bound(Int64)
        /// A stream has ended; what comes of that name is another.
        case end(String)
    }

    /// A frame as a source brings it.
    struct Item: Sendable, Hashable {
        var stream: String
        /// In microseconds.
        var time: Int64
        var sequence: Int64
        var value: Int
        /// When it comes in a live run, in microseconds after the run has begun.
        var arrival: Int64
    }

    var seed: UInt64
    var isLive: Bool
    /// Whether stages are woken by the clock, and edges wait only for so long.
    var isTimed = false
    /// How many streams have state at a time, and for how many microseconds of silence.
    var maxStreams: Int?
    var idle: Int64?
    var nodes: [Node] = []

    /// Whether the model can say what must come of it. If not, it must go on, its equations hold, and the same come out every time.
    var isModeled: Bool { maxStreams == nil && !isTimed }

    /// Whether a source that makes room may end a stream whose name another source brings too. What it brings of it afterwards
    /// may be too late where the two meet, and the run fails: every time.
    var mayCollide: Bool {
        let sources = nodes.compactMap { node -> Set<String>? in
            guard case .source(let events) = node.kind else { return nil }
            return Set(events.compactMap { if case .frame(let item) = $0 { item.stream } else { nil } })
        }
        let names = sources.reduce(into: Set<String>()) { $0.formUnion($1) }
        return maxStreams != nil && !isLive && sources.reduce(0) { $0 + $1.count } > names.count
    }

    /// The sinks, by place.
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
    /// Passes on the very frame.
    case pass
    case add(Int)
    /// Lets numbers go that the divisor divides.
    case filter(Int)
    /// Makes so many numbers of one.
    case copies(Int)
    /// Makes none to three numbers of one, depending on the number.
    case spread
    /// Gives each number when the next comes, and the last at the end.
    case hold
    /// Gives the last number when its stream has brought nothing for so many microseconds.
    case rest(Int64)
    /// Adds up so many numbers; at the end, those that are left.
    case sum(Int)
    /// Cannot process numbers that the divisor divides.
    case fail(Int)
    /// Makes two numbers of one, the first of which happened so many microseconds earlier.
    case early(Int64)
    /// Takes a number apart, and lets each part pass stages of its own.
    case each([Work])
    /// Renames streams: all but those that begin with `keeps` get the same name.
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
