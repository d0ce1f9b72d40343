import Pipeline
import PipelineTesting

/// Generates random graphs. The same seed gives the same graph.
struct GraphGenerator {
    private var random: SeededGenerator
    private var graph: Graph
    /// The maximum number of frames of a stream.
    private var longest: Int64 = 20
    /// The traits of each node's output.
    private var traits: [Traits] = []

    /// The properties of a node's output that affect the rest of the graph.
    private struct Traits {
        var streams: Set<String> = []
        /// The names of the sources upstream.
        var sources: Set<String> = []
        /// Whether edges of several sources were merged or joined upstream.
        var isMixed = false
        /// Which frames of one stream may have equal timestamps.
        var ties = Ties.none
        /// Whether the order of frames across streams is determined by one source.
        var isInSourceOrder = true
        /// Whether streams were renamed, so that their time is unknown.
        var isRenamed = false
        /// Whether there is a frame for every frame of the source, so that all progress of time is visible.
        var isWhole = true
        /// Whether streams end and start again.
        var hasEpochs = false
        /// Whether timestamps never decrease, even across streams.
        var isInTimeOrder = false
        /// Whether it is certain how far the time of a stream has advanced at its end. Frames that stages emit at the end have
        /// this time.
        var hasPlainEnd = true
    }

    private enum Ties: Int, Comparable {
        case none
        /// Frames that one stage emits for the same frame.
        case siblings
        /// Frames of several edges.
        case merged
        /// A frame that a stage emits at the end of its stream, with the time of the last frame.
        case end

        static func < (a: Ties, b: Ties) -> Bool { a.rawValue < b.rawValue }
    }

    private init(_ seed: UInt64) {
        random = SeededGenerator(seed: seed)
        graph = Graph(seed: seed, isLive: false)
    }

    /// Returns the graph for a seed.
    static func graph(_ seed: UInt64) -> Graph {
        var generator = GraphGenerator(seed)
        generator.generate()
        return generator.graph
    }

    private mutating func generate() {
        graph.isLive = chance(0.25)
        graph.isTimed = graph.isLive && chance(0.3)
        if chance(0.12) { graph.maxStreams = pick([1, 2, 3]) }
        if chance(0.15) { graph.idle = pick([1500, 4000, 20_000]) }
        // If two live sources produce streams with the same names, arrival times determine which frames are late.
        let sharesNames = !graph.isLive && graph.idle == nil && chance(0.4)
        if !graph.isLive, !sharesNames, chance(0.2) { longest = 120 }
        for number in 0..<pick([1, 1, 2, 2, 3]) { addSource(number, sharesNames: sharesNames) }
        for _ in 0..<Int.random(in: 1...7, using: &random) { addStage() }
        addSinks()
        // Where sources meet, frames wait for each other, and there is room for a limited number of them.
        if graph.isLive, meetsAgain { shorten(7) } else if sourcesMeet { shorten(60) }
        shareStages()
    }

    /// Makes workers share the streams of some stages.
    private mutating func shareStages() {
        for place in graph.nodes.indices {
            switch graph.nodes[place].kind {
            case .stage, .join: graph.nodes[place].isShared = chance(0.4)
            default: break
            }
        }
    }

    private var sourcesMeet: Bool {
        graph.nodes.contains { node in Set(node.from.flatMap { traits[$0].sources }).count > 1 }
    }

    /// Whether edges merge downstream of a merge of several sources. In a live graph, an edge that bypasses the first merge needs room
    /// for all frames that arrive meanwhile.
    private var meetsAgain: Bool {
        graph.nodes.contains { node in node.from.count > 1 && node.from.contains { traits[$0].isMixed } }
    }

    private mutating func shorten(_ count: Int) {
        for place in graph.nodes.indices {
            if case .source(let events) = graph.nodes[place].kind {
                graph.nodes[place].kind = .source(Array(events.prefix(count)))
            }
        }
    }

    private mutating func chance(_ share: Double) -> Bool { Double.random(in: 0..<1, using: &random) < share }

    private mutating func pick<T>(_ list: [T]) -> T { list[Int.random(in: 0..<list.count, using: &random)] }

    private mutating func add(_ name: String, _ kind: Graph.Kind, from: [Int], _ trait: Traits) {
        var node = Graph.Node(name: name, kind: kind, from: from)
        if graph.isTimed, !from.isEmpty, chance(0.5) {
            node.limits = Graph.Limits(
                inFlight: pick([nil, 1, 2]), timeoutMs: pick([nil, 0.5, 3]), idleTimeoutMs: pick([nil, 0.7, 5]))
        }
        graph.nodes.append(node)
        traits.append(trait)
    }

    // MARK: Sources

    private mutating func addSource(_ number: Int, sharesNames: Bool) {
        let letter = ["a", "b", "c"][number]
        let names = (0..<Int.random(in: 1...3, using: &random)).map { sharesNames ? "s\($0)" : "\(letter)\($0)" }
        let isSorted = graph.idle == nil && chance(0.3)
        var items: [Graph.Item] = []
        for name in names { items += stream(name, clock: isSorted ? 0 : pick([0, 0, 5_000_000, 7_200_000_000])) }
        // With shared names, the other source would affect which of two streams with the same name has ended.
        let ends = !isSorted && !sharesNames && graph.idle == nil && chance(0.4) ? beginAnew(&items) : [:]
        items.sort { ($0.arrival, $0.stream) < ($1.arrival, $1.stream) }
        var events: [Graph.Event] = []
        for (place, item) in items.enumerated() {
            if ends[item.stream] == item.sequence { events.append(.end(item.stream)) }
            if chance(0.03) { events.append(.lost(.random(in: 1...3, using: &random), item.stream)) }
            events.append(.frame(item))
            if isSorted, chance(0.5), items[(place + 1)...].allSatisfy({ $0.time > item.time }) {
                events.append(.bound(item.time))
            }
        }
        let announces = events.contains { if case .bound = $0 { true } else { false } }
        let times = items.map(\.time)
        add(
            letter, .source(events), from: [],
            Traits(
                streams: Set(names), sources: [letter], isWhole: !announces,
                hasEpochs: !ends.isEmpty || graph.idle != nil,
                isInTimeOrder: ends.isEmpty && graph.idle == nil && times == times.sorted()))
    }

    /// Makes some streams end and start again, with the same clock or at an earlier time. Returns the sequence number of the
    /// first frame after each restart, by stream.
    private mutating func beginAnew(_ items: inout [Graph.Item]) -> [String: Int64] {
        var ends: [String: Int64] = [:]
        for name in Set(items.map(\.stream)).sorted() where chance(0.6) {
            let places = items.indices.filter { items[$0].stream == name }
            guard places.count > 1, let first = places.first,
                let place = places.dropFirst().randomElement(using: &random)
            else { continue }
            ends[name] = items[place].sequence
            let back = pick([0, 100, items[place].time - items[first].time])
            for index in places where items[index].sequence >= items[place].sequence {
                items[index].time = max(0, items[index].time - back)
            }
        }
        return ends
    }

    private mutating func stream(_ name: String, clock: Int64) -> [Graph.Item] {
        var items: [Graph.Item] = []
        var (time, arrival) = (clock, Int64(0))
        for number in 0..<Int64.random(in: 0...longest, using: &random) {
            time += pick([100, 500, 1000, 1000, 1000, 3000])
            // Some frames are out of order.
            let shown = chance(0.04) ? max(clock, time - pick([100, 1000, 5000])) : time
            arrival = max(arrival + 1, time - clock + (clock == 0 ? 0 : pick([0, 0, 400, 5000])))
            let value = Int.random(in: 0..<1_000_003, using: &random)
            items.append(Graph.Item(stream: name, time: shown, sequence: number, value: value, arrival: arrival))
        }
        return items
    }

    // MARK: Stages

    private mutating func addStage() {
        let name = "n\(graph.nodes.count)"
        if chance(0.35), let from = severalNodes() {
            if chance(0.4), let rule = joinRule(from) {
                var trait = merged(from, .none)
                // A set of the second frames with a timestamp is complete only when no more of them can follow, perhaps at the
                // end of the stream.
                if case .join(.exact, _, .stream) = rule {
                    if from.contains(where: { traits[$0].ties != .none }) { trait.ties = .end }
                } else {
                    (trait.ties, trait.hasPlainEnd) = (.end, false)
                }
                return add(name, rule, from: from, trait)
            }
            let ties: Ties = overlap(from) ? .merged : from.map { traits[$0].ties }.max() ?? .none
            return addWork(name, from: from, merged(from, ties))
        }
        let from = oneNode()
        // The model does not know the ends of renamed streams. Without a model, they must be the same every time.
        let mayEnd = !traits[from].hasEpochs || graph.maxStreams != nil
        if chance(0.1), traits[from].isInSourceOrder, !traits[from].isRenamed, mayEnd {
            return addRename(name, from: from)
        }
        addWork(name, from: [from], traits[from])
    }

    /// The nodes that a stage may take input from.
    private var producers: [Int] {
        graph.nodes.indices.filter {
            switch graph.nodes[$0].kind {
            case .sink, .errorSink, .stage(.rename): false
            default: true
            }
        }
    }

    /// Returns a node to take input from, preferably one that was added late.
    private mutating func oneNode() -> Int { chance(0.5) ? producers.last ?? 0 : pick(producers) }

    /// Returns two or three different nodes whose edges may be merged or joined before a stage or a sink.
    private mutating func severalNodes(atSink: Bool = false) -> [Int]? {
        let usable = producers.filter { !traits[$0].isRenamed }.shuffled(using: &random)
        let chosen = Array(usable.prefix(pick([2, 2, 3])))
        guard chosen.count > 1 else { return nil }
        // Where edges merge again, frames emitted at the end of a stream may come before or after other frames with their
        // timestamp, depending on which frames waited. The order is the same every time, but the model cannot predict it.
        if !atSink, overlap(chosen), chosen.contains(where: { traits[$0].ties == .end }) { return nil }
        return chosen
    }

    private func overlap(_ nodes: [Int]) -> Bool {
        nodes.reduce(0) { $0 + traits[$1].streams.count }
            > nodes.reduce(into: Set<String>()) { $0.formUnion(traits[$1].streams) }.count
    }

    private func merged(_ nodes: [Int], _ ties: Ties) -> Traits {
        let sources = nodes.reduce(into: Set<String>()) { $0.formUnion(traits[$1].sources) }
        let isMixed = sources.count > 1
        return Traits(
            streams: nodes.reduce(into: []) { $0.formUnion(traits[$1].streams) }, sources: sources,
            isMixed: isMixed || nodes.contains { traits[$0].isMixed },
            // Frames of two sources with the same timestamp in one stream need not arrive together.
            ties: isMixed && overlap(nodes) ? .end : ties, isInSourceOrder: false, isWhole: false,
            hasEpochs: nodes.contains { traits[$0].hasEpochs },
            hasPlainEnd: nodes.allSatisfy { traits[$0].isWhole && traits[$0].hasPlainEnd })
    }

    private mutating func joinRule(_ from: [Int]) -> Graph.Kind? {
        let ties = from.map { traits[$0].ties }.max() ?? .none
        guard ties <= .siblings else { return nil }
        let inOrder = from.allSatisfy { traits[$0].isInTimeOrder && traits[$0].isInSourceOrder }
        // With equal or unordered timestamps, the order of the joined streams depends on how far the other streams have advanced.
        let pair: Alignment.Pairing = inOrder && !hasEqualTimes(from) && chance(0.4) ? .time : .stream
        guard ties == .none, chance(0.5) else {
            return .join(.exact, tolerance: 0, pair: pair)
        }
        return chance(0.5)
            ? .join(.latest, tolerance: 0, pair: pair)
            : .join(.approximate, tolerance: pick([0, 400, 3000]), pair: pair)
    }

    /// Whether frames of several streams may have equal timestamps.
    private func hasEqualTimes(_ nodes: [Int]) -> Bool {
        let names = nodes.reduce(into: Set<String>()) { $0.formUnion(traits[$1].sources) }
        return graph.nodes.filter { names.contains($0.name) }.contains { node in
            guard case .source(let events) = node.kind else { return false }
            let times = events.compactMap { if case .frame(let item) = $0 { item.time } else { nil } }
            return Set(times).count < times.count
        }
    }

    private mutating func addRename(_ name: String, from: Int) {
        let kept = pick(["-"] + traits[from].streams.sorted())
        var trait = traits[from]
        trait.streams = Set(trait.streams.map { $0.hasPrefix(kept) ? $0 : "one" })
        trait.isRenamed = true
        add("\(name)r", .stage(.rename(to: "one", keeps: kept)), from: [from], trait)
        if chance(0.3) { addSink([graph.nodes.count - 1]) }
        let renamed = graph.nodes.lastIndex { $0.name == "\(name)r" } ?? 0
        // If several streams were renamed to one, its consumer drops late frames.
        trait.ties = max(trait.ties, .merged)
        addWork(name, from: [renamed], trait)
    }

    private mutating func addWork(_ name: String, from: [Int], _ trait: Traits) {
        var work = work()
        if work.keepsNumbers, !trait.hasPlainEnd || trait.isRenamed && !trait.isWhole { work = .pass }
        var trait = trait
        switch work {
        case .pass, .add, .rename: break
        case .filter, .spread, .fail:
            if trait.ties == .siblings || work == .spread { trait.ties = max(trait.ties, .merged) }
        case .copies, .early: trait.ties = max(trait.ties, .siblings)
        case .hold, .rest, .sum: (trait.ties, trait.isInSourceOrder) = (.end, false)
        case .each(let works):
            if works.contains(where: \.keepsNumbers) { (trait.ties, trait.isInSourceOrder) = (.end, false) }
        }
        if !work.isWhole { trait.isWhole = false }
        if case .early = work { trait.isInTimeOrder = false }
        let isAsync = chance(0.2) && work.canBeAsynchronous
        // In a live run, no stream waits for another one.
        if isAsync, graph.isLive { trait.isInSourceOrder = false }
        add(name, isAsync ? .asyncStage(work, inFlight: pick([1, 2, 5])) : .stage(work), from: from, trait)
        if case .fail = work, chance(0.5) { add("\(name)e", .errorSink, from: [graph.nodes.count - 1], Traits()) }
    }

    private mutating func work() -> Work {
        switch Int.random(in: 0..<14, using: &random) {
        case 0: .pass
        case 1: .add(.random(in: 1...9, using: &random))
        case 2, 3: .filter(pick([2, 3, 5, 1]))
        case 4: .copies(pick([2, 3]))
        case 5: .spread
        case 6, 7: .hold
        case 8: .sum(pick([2, 3, 5]))
        case 9: .fail(pick([3, 5]))
        case 10: .early(pick([1, 300, 2000]))
        // In a live run, the result of `rest` depends on the clock. Only timed graphs have it: the model does not check them.
        case 11: graph.isLive && !graph.isTimed ? .hold : .rest(pick([200, 1000, 2000]))
        default: .each((0..<pick([1, 2])).map { _ in pick([.add(3), .filter(2), .hold, .sum(2), .spread]) })
        }
    }

    // MARK: Sinks

    private mutating func addSinks() {
        let taken = Set(graph.nodes.flatMap(\.from))
        if chance(0.3), let from = severalNodes(atSink: true) { addSink(from) }
        for node in producers where !taken.contains(node) || chance(0.1) { addSink([node]) }
    }

    private mutating func addSink(_ from: [Int]) {
        add("out\(graph.nodes.count)", .sink(mayBlock: chance(0.3)), from: from, Traits())
    }
}

extension Work {
    /// Whether every frame causes output.
    fileprivate var isWhole: Bool {
        switch self {
        case .pass, .add, .copies, .early, .each: true
        default: false
        }
    }

    /// Whether numbers may be left at the end of a stream.
    fileprivate var keepsNumbers: Bool {
        switch self {
        case .hold, .rest, .sum: true
        case .each(let works): works.contains(where: \.keepsNumbers)
        default: false
        }
    }

    /// Whether an asynchronous stage can do this: it has no memory, and its output has the timestamp of its input.
    fileprivate var canBeAsynchronous: Bool {
        switch self {
        case .pass, .add, .filter, .copies, .spread, .fail: true
        default: false
        }
    }
}
