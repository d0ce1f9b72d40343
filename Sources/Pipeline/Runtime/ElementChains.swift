/// The copies of a nested chain for the parts of one stream's frames, one for each identity.
///
/// A ``NestingStage`` keeps one of these in its state. What it is given goes through the copy of its identity by direct calls;
/// what comes out is handed back. Copies are bounded: the one not used for longest goes first.
// Everything in it is touched by the task of its segment only.
public final class ElementChains<Input: Payload, Output: Payload>: @unchecked Sendable {
    /// What became of one part of a frame.
    public struct Outcome {
        /// It as it left those stages at the head of the chain that keep its payload and all attributes; `nil` when there is
        /// no such stage, or when it did not leave them.
        public let kept: Input?

        /// Whether it left all stages at the head of the chain that make what they take: what they let go is not there.
        public let isThere: Bool

        /// What came out of the chain, the last of several; `nil` when nothing did.
        public let output: Output?
    }

    /// One identity's copy.
    private final class Copy: ElementCopy {
        let head: Inlet<Input>
        let end: ChainEnd<Output>
        let kept: ChainTap<Input>?
        let trunk: ChainTap<Input>?

        init(
            key: Int, head: Inlet<Input>, nodes: [any ChainNode], end: ChainEnd<Output>, kept: ChainTap<Input>?,
            trunk: ChainTap<Input>?
        ) {
            (self.head, self.end, self.kept, self.trunk) = (head, end, kept, trunk)
            super.init(key: key, nodes: nodes)
        }
    }

    private let host: ChainHost
    private let stream: StreamID
    private let keptCount: Int
    private let trunkCount: Int
    private let limit: Int
    // All of them are a `Copy`. Code that is not specialised would look the type of the list up at every use.
    private var copies: [ElementCopy] = []
    /// No copy was last used before this.
    private var oldestUse: Timestamp?

    /// The earliest time at which a stage of some copy wants to be woken.
    public private(set) var nextWake: Timestamp?

    /// Makes no copies yet.
    ///
    /// - Parameters:
    ///   - host: What the engine connected the stage to.
    ///   - chain: The chain that the host runs.
    ///   - stream: The stream whose frames are worked on.
    ///   - limit: How many copies there are at most.
    public init(_ host: ChainHost, _ chain: NestedChain, stream: StreamID, limit: Int) {
        self.host = host
        self.stream = stream
        self.limit = max(1, limit)
        keptCount = chain.countKeeping(attributes: true)
        trunkCount = chain.countKeeping(attributes: false)
    }

    /// Runs a part of a frame through the copy of its identity. O(copies), beside what the stages take.
    ///
    /// - Parameters:
    ///   - payload: The part.
    ///   - key: Its identity.
    ///   - frame: The frame it is a part of.
    /// - Throws: What the first stage threw that could not process it, unless that stage skips what it cannot process.
    public func run<Whole: Payload>(_ payload: Input, of key: Int, in frame: Frame<Whole>) throws -> Outcome {
        let copy = try copy(of: key)
        if oldestUse == nil { oldestUse = frame.timestamp }
        copy.lastUse = frame.timestamp
        copy.kept?.isReached = false
        copy.trunk?.isReached = false
        let context = host.context
        let hadWakes = context.wakesChanged
        context.wakesChanged = false
        host.account.given.add()
        copy.head.receive(
            Frame(
                payload, at: frame.timestamp, stream: frame.stream, sequence: frame.sequence, gap: frame.gap,
                origin: frame.origin, arrival: frame.arrival))
        if context.wakesChanged { updateWakes(of: copy) }
        context.wakesChanged = hadWakes
        let output = take(copy)
        try host.failures.check()
        let isThere =
            trunkCount == 0 || (trunkCount == host.slots.count ? output != nil : copy.trunk?.isReached ?? false)
        return Outcome(kept: copy.kept?.take(), isThere: isThere, output: output)
    }

    /// Wakes all stages that wanted to be woken at or before a time, the earliest first.
    ///
    /// - Parameter body: Receives what came out of each copy, with its identity.
    public func wake(at time: Timestamp, _ body: (_ key: Int, Output) -> Void) throws {
        while let due = nextWake, due <= time {
            for copy in copies where copy.nextWake == due {
                for node in copy.nodes where node.wakeTime == due { node.wake(at: due) }
                updateWakes(of: copy)
                if let output = take(copy) { body(copy.key, output) }
            }
            if nextWake == due { break }
        }
        try host.failures.check()
    }

    /// Ends copies: their stages finish, and they go.
    ///
    /// - Parameters:
    ///   - time: Those not used since go; `nil` for all.
    ///   - body: Receives what came out of each copy at its end, with its identity.
    public func end(unusedSince time: Timestamp?, _ body: (_ key: Int, Output) -> Void) throws {
        // What is asked at every frame must cost nothing as long as the answer is no.
        if let time, oldestUse.map({ $0 >= time }) ?? true { return }
        var kept: [ElementCopy] = []
        for copy in copies {
            if let time, copy.lastUse >= time {
                kept.append(copy)
                continue
            }
            for node in copy.nodes { node.finish(at: copy.lastUse) }
            if let output = take(copy) { body(copy.key, output) }
        }
        copies = kept
        oldestUse = copies.map(\.lastUse).min()
        updateNextWake()
        try host.failures.check()
    }

    /// Lets all copies go as they are, to begin anew.
    public func reset() {
        copies.removeAll()
        oldestUse = nil
        nextWake = nil
    }

    // MARK: - Copies

    private func copy(of key: Int) throws -> Copy {
        for known in copies where known.key == key { return typed(known) }
        if copies.count >= limit, let oldest = copies.indices.min(by: { copies[$0].lastUse < copies[$1].lastUse }) {
            let copy = copies.remove(at: oldest)
            for node in copy.nodes { node.finish(at: copy.lastUse) }
            _ = take(copy)
            updateNextWake()
        }
        let copy = try makeCopy(key)
        copies.append(copy)
        return copy
    }

    private func makeCopy(_ key: Int) throws -> Copy {
        let end = ChainEnd<Output>()
        var (nodes, kept, trunk): ([any ChainNode], ChainTap<Input>?, ChainTap<Input>?) = ([], nil, nil)
        var next: AnyObject = end
        for (index, slot) in host.slots.enumerated().reversed() {
            if index + 1 == trunkCount, index + 1 < host.slots.count, let inlet = next as? Inlet<Input> {
                let tap = ChainTap(next: inlet, keepsPayload: trunkCount == keptCount)
                trunk = tap
                if trunkCount == keptCount { kept = tap }
                next = tap
            } else if index + 1 == keptCount, keptCount < trunkCount, let inlet = next as? Inlet<Input> {
                let tap = ChainTap(next: inlet, keepsPayload: true)
                kept = tap
                next = tap
            }
            let node = try slot.makeNode(stream: stream, next: next, context: host.context)
            nodes.append(node)
            next = node
        }
        guard let head = next as? Inlet<Input> else {
            throw PipelineError.mistypedEdge(host.slots.first?.metrics.id ?? "")
        }
        return Copy(key: key, head: head, nodes: nodes.reversed(), end: end, kept: kept, trunk: trunk)
    }

    // Only `makeCopy` fills the list.
    private func typed(_ copy: ElementCopy) -> Copy { unsafeDowncast(copy, to: Copy.self) }

    private func take(_ copy: ElementCopy) -> Output? {
        let (count, output) = typed(copy).end.take()
        if count > 0 { host.account.taken.add(count) }
        return output
    }

    private func updateWakes(of copy: ElementCopy) {
        let next = copy.nodes.compactMap(\.wakeTime).min()
        guard next != copy.nextWake else { return }
        copy.nextWake = next
        updateNextWake()
    }

    private func updateNextWake() { nextWake = copies.compactMap(\.nextWake).min() }
}

/// One identity's copy of a nested chain, as far as that has nothing to do with what goes through it.
private class ElementCopy {
    let key: Int
    let nodes: [any ChainNode]
    var nextWake: Timestamp?
    var lastUse = Timestamp.beforeAll

    init(key: Int, nodes: [any ChainNode]) {
        self.key = key
        self.nodes = nodes
    }
}
