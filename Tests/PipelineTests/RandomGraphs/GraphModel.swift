import Pipeline

/// The expected results of a ``Graph``, computed node by node from the documented rules, without the engine: the frames that leave
/// each node, the dropped frames, and the counts of each node.
///
/// Only the order within each stream is predicted. The engine may choose the order across streams, as long as it is the same on
/// every repetition.
struct GraphModel {
    /// A frame.
    struct Item: Hashable, Sendable {
        /// The name, with a number if a stream of the same name has ended before: `a#1`.
        var stream: String
        var time: Int64
        var sequence: Int64
        var gap = 0
        var value: Int
        /// Whether its stream had already reached this time, as for a frame that a stage emits at the end.
        var isBehind = false

        fileprivate var order: (Int64, Int64, Int, Int) { (time, sequence, value, gap) }
    }

    /// A frame that was dropped.
    struct Drop: Hashable, Sendable {
        var place: String
        var stream: String
        var time: Int64
        var sequence: Int64
        var reason: String
    }

    /// The outcomes of the frames that reached a node.
    struct Counts: Equatable, Sendable {
        var received = 0
        var passed = 0
        var absorbed = 0
        var dropped = 0
        var failed = 0
        var emitted = 0
    }

    /// The output and the counts of a node.
    struct Result {
        var frames: [Item] = []
        var errors: [Item] = []
        var drops: [Drop] = []
        var counts = Counts()
        /// The time that each stream has reached at the end, with or without frames.
        var times: [String: Int64] = [:]
        /// The watermark of all streams that a source has announced.
        var timeOfAll: Int64 = -1
    }

    /// The results by node.
    private(set) var results: [Result] = []

    init(_ graph: Graph) {
        for node in graph.nodes {
            let inputs = node.from.map { results[$0].frames }
            switch node.kind {
            case .source(let events): results.append(Self.source(events, node.name, idle: graph.idle))
            case .stage(let work):
                results.append(Self.stage(work, Self.merged(inputs), node.from.map { results[$0] }, node.name))
            case .asyncStage(let work, _):
                results.append(Self.stage(work, Self.merged(inputs), node.from.map { results[$0] }, node.name))
            case .join(let rule, let tolerance, let pair):
                var join = JoinModel(rule, tolerance: tolerance, pair: pair, inputs, place: node.name)
                let sets = join.sets()
                var result = Self.stage(.pass, sets, node.from.map { results[$0] }, node.name)
                result.drops += join.drops
                results.append(result)
            case .sink: results.append(Self.sink(Self.merged(inputs), node.name))
            case .errorSink: results.append(Self.sink(node.from.flatMap { results[$0].errors }, node.name))
            }
        }
    }

    /// Returns the frames of each stream, in the order in which a sink receives them.
    static func byStream(_ frames: [Item], sorted isSorted: Bool) -> [String: [Item]] {
        // Frames from before the end of a stream come first.
        let inOrder = frames.enumerated().sorted {
            (epoch($0.element.stream), $0.offset) < (epoch($1.element.stream), $1.offset)
        }
        let seen = inOrder.map { _, frame in
            var frame = frame
            frame.isBehind = false
            frame.stream = name(frame.stream)
            return frame
        }
        let streams = Dictionary(grouping: seen) { $0.stream }
        return isSorted ? streams.mapValues { $0.sorted { $0.order < $1.order } } : streams
    }

    /// Returns the name of a stream without its number.
    static func name(_ stream: String) -> String { String(stream.prefix { $0 != "#" }) }

    private static func epoch(_ stream: String) -> Int {
        stream.split(separator: "#").dropFirst().first.flatMap { Int($0) } ?? 0
    }

    // MARK: Nodes

    /// A frame whose timestamp does not increase is dropped. The next frame of the stream reports it as missing.
    private static func source(_ events: [Graph.Event], _ name: String, idle: Int64?) -> Result {
        var result = Result()
        var activity = Activity(idle: idle)
        var last: [String: Int64] = [:]
        var missing: [String: Int] = [:]
        var epochs: [String: Int] = [:]
        func key(_ stream: String) -> String { epochs[stream].map { "\(stream)#\($0)" } ?? stream }
        for event in events {
            switch event {
            case .end(let stream):
                missing[stream] = nil
                epochs[stream, default: 0] += 1
            case .lost(let count, let stream):
                missing[stream, default: 0] += count
                activity.note(stream)
            case .bound(let time): result.timeOfAll = time
            case .frame(let item):
                result.counts.received += 1
                if let time = last[key(item.stream)], item.time <= time {
                    missing[item.stream, default: 0] += 1
                    result.counts.dropped += 1
                    result.drops.append(
                        Drop(
                            place: name, stream: item.stream, time: item.time, sequence: item.sequence,
                            reason: "disorder"))
                    continue
                }
                for stream in activity.ended(by: item.stream, step: last[key(item.stream)].map { item.time - $0 }) {
                    if stream != item.stream { missing[stream] = nil }
                    epochs[stream, default: 0] += 1
                }
                last[key(item.stream)] = item.time
                result.counts.passed += 1
                result.frames.append(
                    Item(
                        stream: key(item.stream), time: item.time, sequence: item.sequence,
                        gap: missing.removeValue(forKey: item.stream) ?? 0, value: item.value))
            }
        }
        result.counts.emitted = result.frames.count
        result.times = last
        return result
    }

    /// Finds the streams of a source that have been idle too long, by the clock of the stream that has advanced the most.
    private struct Activity {
        let idle: Int64?
        var progress: [String: Int64] = [:]
        var seen: [String: Int64] = [:]
        var farthest: Int64 = 0

        init(idle: Int64?) { self.idle = idle }

        /// Records that a stream was seen.
        mutating func note(_ stream: String) {
            if seen[stream] == nil { (seen[stream], progress[stream]) = (farthest, farthest) }
        }

        /// Advances a stream by a step (`nil`: the stream starts). Returns and forgets the streams that have been idle too long
        /// by then.
        mutating func ended(by stream: String, step: Int64?) -> [String] {
            guard let idle else { return [] }
            note(stream)
            progress[stream, default: 0] = step.map { progress[stream, default: 0] + $0 } ?? farthest
            farthest = max(farthest, progress[stream, default: 0])
            seen[stream] = farthest
            let over = seen.filter { farthest - $0.value > idle }.map(\.key).sorted()
            for other in over { (seen[other], progress[other]) = (nil, nil) }
            return over + (step ?? 0 > idle ? [stream] : [])
        }
    }

    /// Returns frames of several edges by time. On a tie, frames of the edge named first come first, and frames that are behind
    /// their stream's time come last.
    private static func merged(_ inputs: [[Item]]) -> [Item] {
        if inputs.count == 1 { return inputs[0] }
        let all = inputs.enumerated().flatMap { lane, frames in
            frames.enumerated().map { (key: ($1.time, $1.isBehind ? 1 : 0, lane, $0), frame: $1) }
        }
        return all.sorted { $0.key < $1.key }.map(\.frame)
    }

    private static func sink(_ input: [Item], _ name: String) -> Result {
        var result = stage(.pass, input, [], name)
        result.counts.emitted = 0
        return result
    }

    /// The state of a stage for one stream.
    fileprivate struct Stream {
        var worker: NumberWorker
        var time: Int64 = -1
        var sequence: Int64 = 0
        var gap = 0
        var isBehind = false
        /// The time of the requested wake-up.
        var wakesAt: Int64?
    }

    private static func stage(_ work: Work, _ input: [Item], _ above: [Result], _ name: String) -> Result {
        var result = Result()
        result.timeOfAll = above.map(\.timeOfAll).max() ?? -1
        // For renamed streams, only the frames show the time.
        for input in above where !work.renames { result.times.merge(input.times, uniquingKeysWith: max) }
        var streams: [String: Stream] = [:]
        var order: [String] = []
        for frame in input {
            var stream = streams[frame.stream] ?? Stream(worker: NumberWorker(work))
            if streams[frame.stream] == nil { order.append(frame.stream) }
            result.take(frame, &stream, name)
            streams[frame.stream] = stream
        }
        for name in order {
            guard var stream = streams[name] else { continue }
            let end = max(stream.time, result.times[name] ?? -1, result.timeOfAll)
            result.wake(&stream, before: end, of: name)
            stream.time = end
            stream.isBehind = true
            if !work.renames { result.times[name] = stream.time }
            for value in stream.worker.end() { result.emit(value, at: stream.time, of: name, &stream) }
        }
        return result
    }
}

extension GraphModel.Result {
    fileprivate mutating func take(
        _ frame: GraphModel.Item, _ stream: inout GraphModel.Stream, _ place: String
    ) {
        counts.received += 1
        if frame.time < stream.time {
            // The frame is late: its stream has already passed this time. This happens when several streams are renamed to one.
            counts.dropped += 1
            stream.gap += 1 + frame.gap
            return drops.append(GraphModel.Drop(frame, at: place, "late"))
        }
        wake(&stream, before: frame.time, of: frame.stream)
        let before = stream.time
        stream.time = frame.time
        stream.sequence = frame.sequence
        stream.isBehind = frame.isBehind
        stream.gap += frame.gap
        switch stream.worker.take(frame.value) {
        case .numbers(let numbers):
            for number in numbers {
                let time = max(min(before + 1, frame.time), frame.time - number.earlier)
                emit(number.value, at: time, of: frame.stream, &stream)
            }
            if numbers.isEmpty { counts.absorbed += 1 } else { counts.passed += 1 }
        case .forward:
            var name = frame.stream
            if case .rename(let new, let keeps) = stream.worker.work, !name.hasPrefix(keeps) { name = new }
            emit(frame.value, at: frame.time, of: name, &stream)
            counts.passed += 1
        case .drop:
            counts.dropped += 1
            drops.append(GraphModel.Drop(frame, at: place, "filtered"))
        case .failure:
            counts.failed += 1
            stream.gap += 1
            var failed = frame
            failed.gap = 0
            errors.append(failed)
        }
        if case .rest(let time) = stream.worker.work { stream.wakesAt = frame.time + time }
    }

    /// Wakes a stage whose wake-up is before the time that its stream has reached.
    fileprivate mutating func wake(_ stream: inout GraphModel.Stream, before time: Int64, of name: String) {
        guard let moment = stream.wakesAt, moment < time else { return }
        stream.wakesAt = nil
        for value in stream.worker.end() { emit(value, at: moment, of: name, &stream) }
    }

    /// The first emitted frame after missing frames reports their number.
    fileprivate mutating func emit(
        _ value: Int, at time: Int64, of name: String, _ stream: inout GraphModel.Stream
    ) {
        frames.append(
            GraphModel.Item(
                stream: name, time: time, sequence: stream.sequence, gap: stream.gap, value: value,
                isBehind: stream.isBehind))
        stream.gap = 0
        counts.emitted += 1
    }
}

extension GraphModel.Drop {
    init(_ frame: GraphModel.Item, at place: String, _ reason: String) {
        self.init(
            place: place, stream: GraphModel.name(frame.stream), time: frame.time, sequence: frame.sequence,
            reason: reason)
    }
}

extension Work {
    fileprivate var renames: Bool { if case .rename = self { true } else { false } }
}
