import Pipeline

/// The expected results of a ``LiveChain``: the emitted frames and the dropped frames, each in order.
///
/// The model advances from event to event. At each time, finished work comes first, then arrivals.
struct LiveChainModel {
    /// An emitted frame.
    struct Output: Hashable, Sendable {
        var stream: String
        var sequence: Int64
        var gap: Int
        var value: Int
    }

    /// A dropped frame, with the time in milliseconds.
    struct Drop: Hashable, Sendable {
        var stream: String
        var sequence: Int64
        var at: Int64
    }

    private struct Frame {
        var arrival: LiveChain.Arrival
        var gap = 0
    }

    /// An item that waits before a step: a frame, or the mark after all output of a frame.
    private enum Item {
        case frame(Output)
        case mark
    }

    private struct Stream {
        var worker: NumberWorker
        var gap = 0
        var sequence: Int64 = 0
    }

    private struct Server {
        let step: LiveChain.Step
        var queue: [Item] = []
        /// The time at which the first item will be finished.
        var doneAt: Int64?
        var streams: [String: Stream] = [:]
        var order: [String] = []
    }

    private let policy: EdgePolicy
    private var servers: [Server]
    private var waiting: [String: [Frame]] = [:]
    /// The streams of the waiting frames, in the order of their turns.
    private var turns: [String] = []
    private var missing: [String: Int] = [:]
    private var busy = 0
    /// The time of the last arrival.
    private var now: Int64 = -1

    private(set) var delivered: [Output] = []
    private(set) var drops: [Drop] = []

    init(_ chain: LiveChain) {
        policy = chain.policy
        servers = chain.steps.map { Server(step: $0) }
        for arrival in chain.arrivals {
            // Frames that arrive at the same time arrive together. No step processes any of them before all have arrived.
            if arrival.at != now { run(to: arrival.at) }
            now = arrival.at
            offer(Frame(arrival: arrival))
        }
        run(to: .max)
        for place in servers.indices {
            end(place)
            run(to: .max)
        }
    }

    // MARK: The edge that drops

    private mutating func offer(_ new: Frame) {
        var frame = new
        let stream = frame.arrival.stream
        func drop(_ old: Frame) -> Drop {
            Drop(stream: stream, sequence: old.arrival.sequence, at: new.arrival.at)
        }
        if busy < policy.inFlight ?? 1 {
            frame.gap += missing.removeValue(forKey: stream) ?? 0
            return release(frame, at: new.arrival.at)
        }
        if waiting[stream, default: []].count < policy.capacity {
            frame.gap += missing.removeValue(forKey: stream) ?? 0
            waiting[stream, default: []].append(frame)
            turns.append(stream)
        } else if policy.onFull == .dropOldest, policy.capacity > 0, var queue = waiting[stream] {
            // The new frame inherits the turn of the frame that it replaces. The gap of the next waiting frame counts the dropped
            // frame.
            let old = queue.removeFirst()
            queue.append(frame)
            queue[0].gap += 1 + old.gap
            waiting[stream] = queue
            drops.append(drop(old))
        } else {
            missing[stream, default: 0] += 1
            drops.append(drop(frame))
        }
    }

    private mutating func fill(at now: Int64) {
        while busy < policy.inFlight ?? 1, !turns.isEmpty {
            let stream = turns.removeFirst()
            if let frame = waiting[stream]?.removeFirst() { release(frame, at: now) }
        }
    }

    private mutating func release(_ frame: Frame, at now: Int64) {
        busy += 1
        put(
            .frame(
                Output(
                    stream: frame.arrival.stream, sequence: frame.arrival.sequence, gap: frame.gap,
                    value: frame.arrival.value)), before: 0, at: now)
        put(.mark, before: 0, at: now)
    }

    // MARK: The steps

    /// Processes all events up to a time.
    private mutating func run(to limit: Int64) {
        while let place = servers.indices.filter({ servers[$0].doneAt != nil }).min(by: { a, b in
            (servers[a].doneAt ?? .max, a) < (servers[b].doneAt ?? .max, b)
        }), let now = servers[place].doneAt, now <= limit {
            let item = servers[place].queue.removeFirst()
            servers[place].doneAt = nil
            switch item {
            case .frame(let frame): work(frame, place, at: now)
            case .mark:
                if place + 1 < servers.count {
                    put(.mark, before: place + 1, at: now)
                } else {
                    busy -= 1
                    fill(at: now)
                }
            }
            begin(place, at: now)
        }
    }

    private mutating func put(_ item: Item, before place: Int, at now: Int64) {
        servers[place].queue.append(item)
        begin(place, at: now)
    }

    private mutating func begin(_ place: Int, at now: Int64) {
        guard servers[place].doneAt == nil, let item = servers[place].queue.first else { return }
        if case .frame = item {
            servers[place].doneAt = now + servers[place].step.takes
        } else {
            servers[place].doneAt = now
        }
    }

    private mutating func work(_ frame: Output, _ place: Int, at now: Int64) {
        guard place + 1 < servers.count else { return delivered.append(frame) }
        if servers[place].streams[frame.stream] == nil { servers[place].order.append(frame.stream) }
        var stream = servers[place].streams[frame.stream] ?? Stream(worker: NumberWorker(servers[place].step.work))
        stream.gap += frame.gap
        stream.sequence = frame.sequence
        switch stream.worker.take(frame.value) {
        case .numbers(let numbers): for number in numbers { emit(number.value, frame.stream, &stream, place, at: now) }
        case .forward: emit(frame.value, frame.stream, &stream, place, at: now)
        case .drop: break
        case .failure: stream.gap += 1
        }
        servers[place].streams[frame.stream] = stream
    }

    private mutating func emit(_ value: Int, _ name: String, _ stream: inout Stream, _ place: Int, at now: Int64) {
        let output = Output(stream: name, sequence: stream.sequence, gap: stream.gap, value: value)
        stream.gap = 0
        put(.frame(output), before: place + 1, at: now)
    }

    /// At the end, a step emits what it holds of each stream, in the order of the streams' arrival.
    private mutating func end(_ place: Int) {
        for name in servers[place].order {
            guard var stream = servers[place].streams[name] else { continue }
            for value in stream.worker.end() { emit(value, name, &stream, place, at: 0) }
        }
    }
}
