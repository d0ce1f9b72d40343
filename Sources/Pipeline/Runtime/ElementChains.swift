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

    private let host: ChainHost
    private let stream: StreamID
    private let keptCount: Int
    private let trunkCount: Int
    private let limit: Int
    // One part at a time goes through, so that all copies share what looks at it.
    private let end = ChainEnd<Output>()
    private var kept: ChainTap<Input>?
    private var trunk: ChainTap<Input>?
    private var chain: Chain?
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
    ///   - header: That of the frame it is a part of.
    /// - Throws: What the first stage threw that could not process it, unless that stage skips what it cannot process.
    public func run(_ payload: consuming Input, of key: Int, in header: borrowing Header) throws -> Outcome {
        let copy = try copy(of: key)
        if oldestUse == nil { oldestUse = header.timestamp }
        copy.lastUse = header.timestamp
        kept?.isReached = false
        trunk?.isReached = false
        let context = host.context
        let hadWakes = context.wakesChanged
        context.wakesChanged = false
        host.account.given.add()
        copy.chain.head(of: copy.memory).carrying(Input.self).pass(payload, header.header)
        if context.wakesChanged { updateWakes(of: copy) }
        context.wakesChanged = hadWakes
        let output = takeOutput()
        let keptPayload = kept?.take()
        try host.failures.check()
        let isThere =
            trunkCount == 0 || (trunkCount == host.slots.count ? output != nil : trunk?.isReached ?? false)
        return Outcome(kept: keptPayload, isThere: isThere, output: output)
    }

    /// Wakes all stages that wanted to be woken at or before a time, the earliest first.
    ///
    /// - Parameter body: Receives what came out of each copy, with its identity.
    public func wake(at time: Timestamp, _ body: (_ key: Int, Output) -> Void) throws {
        while let due = nextWake, due <= time {
            for copy in copies where copy.nextWake == due {
                for node in copy.nodes where node.wakeTime == due { node.wake(at: due) }
                updateWakes(of: copy)
                if let output = takeOutput() { body(copy.key, output) }
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
            copy.chain.finish(copy.memory, at: copy.lastUse)
            if let output = takeOutput() { body(copy.key, output) }
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

    private func copy(of key: Int) throws -> ElementCopy {
        for known in copies where known.key == key { return known }
        if copies.count >= limit, let oldest = copies.indices.min(by: { copies[$0].lastUse < copies[$1].lastUse }) {
            let copy = copies.remove(at: oldest)
            copy.chain.finish(copy.memory, at: copy.lastUse)
            _ = takeOutput()
            updateNextWake()
        }
        let copy = ElementCopy(key: key, chain: try chain ?? makeChain(), stream: stream)
        copies.append(copy)
        return copy
    }

    private func makeChain() throws -> Chain {
        var slots: [StageSlot] = []
        func addTap(keepsPayload: Bool) -> ChainTap<Input> {
            let tap = ChainTap<Input>(keepsPayload: keepsPayload)
            slots.append(
                StageSlot(
                    stage: ChainTapStage(tap: tap), metrics: NodeMetrics(id: ""), policy: .skip, isNested: true,
                    context: host.context))
            return tap
        }
        for (index, slot) in host.slots.enumerated() {
            slots.append(slot)
            if index + 1 == trunkCount, index + 1 < host.slots.count {
                let tap = addTap(keepsPayload: trunkCount == keptCount)
                trunk = tap
                if trunkCount == keptCount { kept = tap }
            } else if index + 1 == keptCount, keptCount < trunkCount {
                kept = addTap(keepsPayload: true)
            }
        }
        let made = try Chain(slots, taking: Input.self, end: end)
        chain = made
        return made
    }

    private func takeOutput() -> Output? {
        let (count, output) = end.take()
        if count > 0 { host.account.taken.add(count) }
        return output
    }

    private func updateWakes(of copy: ElementCopy) {
        let next = copy.chain.nextWake(of: copy.memory)?.time
        guard next != copy.nextWake else { return }
        copy.nextWake = next
        updateNextWake()
    }

    private func updateNextWake() { nextWake = copies.compactMap(\.nextWake).min() }
}

/// One identity's copy of a nested chain.
private final class ElementCopy {
    let key: Int
    let chain: Chain
    let memory: UnsafeMutableRawPointer
    var nextWake: Timestamp?
    var lastUse = Timestamp.beforeAll

    init(key: Int, chain: Chain, stream: StreamID) {
        self.key = key
        self.chain = chain
        memory = chain.make(for: stream)
    }

    deinit { chain.free(memory) }

    var nodes: [StageNode] { chain.slots.indices.map { chain.node($0, of: memory) } }
}
