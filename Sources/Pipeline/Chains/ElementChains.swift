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
    private var pool: ChainPool<Int>?

    /// The earliest time at which a stage of some copy wants to be woken.
    public var nextWake: Timestamp? { pool?.nextWake?.time }

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

    /// Runs a part of a frame through the instance of its identity.
    ///
    /// - Parameters:
    ///   - payload: The part.
    ///   - key: Its identity.
    ///   - header: That of the frame it is a part of.
    /// - Throws: What the first stage threw that could not process it, unless that stage skips what it cannot process.
    public func run(_ payload: consuming Input, of key: Int, in header: borrowing Header) throws -> Outcome {
        let pool = try pool ?? makePool()
        let instance = pool.use(key, for: stream) { evicted in
            pool.finish(evicted, at: evicted.last)
            _ = takeOutput()
        }
        instance.last = header.timestamp
        kept?.isReached = false
        trunk?.isReached = false
        let context = host.context
        let hadWakes = context.wakesChanged
        context.wakesChanged = false
        host.account.given.add()
        pool.chain.head(of: instance.memory).carrying(Input.self).pass(payload, header.header)
        if context.wakesChanged { pool.updateWake(of: instance) }
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
    /// - Parameters:
    ///   - time: The time that has passed.
    ///   - body: Receives what came out of each copy, with its identity.
    public func wake(at time: Timestamp, _ body: (_ key: Int, Output) -> Void) throws {
        while let pool, let (due, instance) = pool.nextWake, due <= time {
            for node in pool.chain.nodes(of: instance.memory) where node.wakeTime == due { node.wake(at: due) }
            pool.updateWake(of: instance)
            if let output = takeOutput() { body(instance.key, output) }
            if instance.nextWake == due { break }
        }
        try host.failures.check()
    }

    /// Ends copies: their stages finish, and they go.
    ///
    /// - Parameters:
    ///   - time: Those not used since go; `nil` for all.
    ///   - body: Receives what came out of each copy at its end, with its identity.
    public func end(unusedSince time: Timestamp?, _ body: (_ key: Int, Output) -> Void) throws {
        guard let pool else { return }
        for instance in pool.removeAll(lastUsedBefore: time) {
            pool.finish(instance, at: instance.last)
            if let output = takeOutput() { body(instance.key, output) }
        }
        try host.failures.check()
    }

    /// Drops all instances as they are, to begin anew.
    public func reset() { _ = pool?.removeAll() }

    private func makePool() throws -> ChainPool<Int> {
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
        let made = ChainPool<Int>(try Chain(slots, taking: Input.self, end: end), capacity: limit)
        pool = made
        return made
    }

    private func takeOutput() -> Output? {
        let (count, output) = end.take()
        if count > 0 { host.account.taken.add(count) }
        return output
    }
}
