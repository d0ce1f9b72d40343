/// The instances of a nested chain for the parts of one stream's frames, one for each identity.
///
/// A ``NestingStage`` keeps one such object in its state. Each part passes through the instance of its identity by direct calls,
/// and the output of the chain is returned. The number of instances is limited: the least recently used instance is evicted first.
// Only the task of its segment accesses it. A commit point asks for the held frames while the run is frozen.
public final class ElementChains<Input: Payload, Output: Payload>: @unchecked Sendable {
    /// The outcome of processing one part of a frame.
    public struct Outcome {
        /// The part as emitted by the leading stages of the chain that keep its payload type and all attributes. `nil` if there
        /// are no such stages, if they dropped the part, or if all stages of the chain are such stages: then see ``output``.
        public let kept: Input?

        /// Whether the part passed all leading stages of the chain that keep its payload type. If one of these stages dropped the
        /// part, it is treated as absent from the frame.
        public let isThere: Bool

        /// The output of the chain: the last output if there are several; `nil` if there is none.
        public let output: Output?

        @inlinable
        init(kept: Input?, isThere: Bool, output: Output?) {
            (self.kept, self.isThere, self.output) = (kept, isThere, output)
        }
    }

    private let host: ChainHost
    private let stream: StreamID
    private let keptCount: Int
    private let trunkCount: Int
    private let limit: Int
    // All instances share the taps and the end, because only one part is processed at a time.
    @usableFromInline let end = LastPayload<Output>()
    @usableFromInline let kept = LastPayload<Input>()
    private let trunk = LastPayload<Input>()
    private var pool: ChainPool<Int>?

    /// The earliest wake-up that a stage of any instance has requested.
    public var nextWake: Timestamp? { pool?.nextWake?.time }

    /// The timestamp of the first frame that a stage of any instance holds (see ``Stage/heldSince``); `nil` if none holds a frame.
    ///
    /// - Complexity: O(instances).
    public var heldSince: Timestamp? {
        guard let pool else { return nil }
        return pool.all.compactMap { pool.chain.heldSince($0.memory) }.min()
    }

    /// Creates an object without instances.
    ///
    /// - Parameters:
    ///   - host: The host that the engine connected to the stage.
    ///   - chain: The chain that the host runs.
    ///   - stream: The stream whose frames are processed.
    ///   - limit: The maximum number of instances.
    public init(_ host: ChainHost, _ chain: NestedChain, stream: StreamID, limit: Int) {
        self.host = host
        self.stream = stream
        self.limit = max(1, limit)
        keptCount = chain.countKeeping(attributes: true)
        trunkCount = chain.countKeeping(attributes: false)
    }

    /// Processes a part of a frame with the instance of its identity.
    ///
    /// - Parameters:
    ///   - payload: The part.
    ///   - key: Its identity.
    ///   - header: The header of the frame that the part belongs to.
    /// - Throws: The error of the first stage that could not process the part, unless that stage skips parts that it cannot
    ///   process.
    // Only what depends on the payload types is compiled for them, in the module of the stage.
    @inlinable
    public func run(_ payload: borrowing Input, of key: Int, in header: borrowing Header) throws -> Outcome {
        let part = try begin(key, header)
        part.head.carrying(Input.self).pass(payload, header.header)
        let (keptPayload, output) = (kept.take(), end.take())
        return Outcome(kept: keptPayload, isThere: try conclude(part), output: output)
    }

    /// A part that an instance processes.
    @usableFromInline
    struct Part {
        @usableFromInline let head: AnyLink
        // Unmanaged, because reference counting would cost time for every part. The pool retains the instance.
        fileprivate let instance: Unmanaged<ChainPool<Int>.Instance>
        /// Whether a stage outside the chain had changed its request for a wake-up before.
        fileprivate let hadWakes: Bool
    }

    /// Prepares the instance of an identity for a part.
    @usableFromInline
    func begin(_ key: Int, _ header: borrowing Header) throws -> Part {
        let pool = try pool ?? makePool()
        let instance = pool.use(key, for: stream) { evicted in
            pool.finish(evicted, at: evicted.last)
            giveOutput(of: evicted) { _, _ in }
        }
        instance.last = header.timestamp
        (kept.count, trunk.count) = (0, 0)
        let part = Part(
            head: pool.chain.head(of: instance.memory), instance: .passUnretained(instance),
            hadWakes: host.context.wakesChanged)
        host.context.wakesChanged = false
        host.chainMetrics.given.add()
        return part
    }

    /// Counts the outcome of a part. Returns whether the part passed all leading stages that keep its payload type.
    ///
    /// - Throws: The failure of a stage.
    @usableFromInline
    func conclude(_ part: Part) throws -> Bool {
        let context = host.context
        if context.wakesChanged { part.instance._withUnsafeGuaranteedRef { _ = pool?.updateWake(of: $0) } }
        context.wakesChanged = part.hadWakes
        let outputs = countOutputs()
        try host.failures.check()
        if trunkCount == 0 { return true }
        return (trunkCount == host.slots.count ? outputs : (trunkCount == keptCount ? kept : trunk).count) > 0
    }

    /// Adds the new outputs of the chain to its counters, and returns their number.
    private func countOutputs() -> Int64 {
        defer { end.count = 0 }
        if end.count > 0 { host.chainMetrics.taken.add(end.count) }
        return end.count
    }

    /// Wakes all stages that have requested a wake-up at or before a time, the earliest first.
    ///
    /// - Parameters:
    ///   - time: The time that has passed.
    ///   - body: Receives the output of each instance, with its identity.
    public func wake(at time: Timestamp, _ body: (_ key: Int, Output) -> Void) throws {
        while let pool, let (due, instance) = pool.nextWake, due <= time {
            for node in pool.chain.nodes(of: instance.memory) where node.wakeTime == due { node.wake(at: due) }
            pool.updateWake(of: instance)
            giveOutput(of: instance, to: body)
            if instance.nextWake == due { break }
        }
        try host.failures.check()
    }

    /// Ends instances: their stages finish, and the instances are removed.
    ///
    /// - Parameters:
    ///   - time: Ends the instances that were last used before this time; `nil` ends all.
    ///   - body: Receives the output of each instance at its end, with its identity.
    public func end(unusedSince time: Timestamp?, _ body: (_ key: Int, Output) -> Void) throws {
        guard let pool else { return }
        for instance in pool.removeAll(lastUsedBefore: time) {
            pool.finish(instance, at: instance.last)
            giveOutput(of: instance, to: body)
        }
        try host.failures.check()
    }

    /// Removes all instances without finishing them.
    public func reset() { _ = pool?.removeAll() }

    private func makePool() throws -> ChainPool<Int> {
        var slots: [StageSlot] = []
        func addTap(_ tap: LastPayload<Input>, keepsPayload: Bool) {
            slots.append(
                StageSlot(
                    ChainTapStage(tap: tap, keepsPayload: keepsPayload),
                    NodeAccount(
                        metrics: NodeMetrics(id: ""), policy: .skip, monitor: host.context.monitor, isNested: true),
                    context: host.context))
        }
        for (index, slot) in host.slots.enumerated() {
            slots.append(slot)
            guard index + 1 < host.slots.count else { break }
            if index + 1 == keptCount { addTap(kept, keepsPayload: true) }
            if index + 1 == trunkCount, keptCount < trunkCount { addTap(trunk, keepsPayload: false) }
        }
        let made = ChainPool<Int>(try Chain(slots, taking: Input.self, end: ChainEnd(end)), capacity: limit)
        pool = made
        return made
    }

    /// Passes on what an instance emitted between frames.
    private func giveOutput(of instance: ChainPool<Int>.Instance, to body: (_ key: Int, Output) -> Void) {
        _ = countOutputs()
        if let output = end.take() { body(instance.key, output) }
    }
}

/// A stage that passes frames on unchanged, and shows them to the stage that runs the chain.
private struct ChainTapStage<P: Payload>: Stage {
    let tap: LastPayload<P>
    let keepsPayload: Bool

    mutating func process(_ payload: borrowing P, _ header: borrowing Header, into emitter: borrowing Emitter<P>) {
        tap.count += 1
        if keepsPayload { tap.keep(copy payload) }
        emitter.emit(payload)
    }
}

/// The end of a chain.
private final class ChainEnd<P: Payload>: ReceivingObject {
    typealias Received = P

    private let last: LastPayload<P>

    init(_ last: LastPayload<P>) { self.last = last }

    func receive(_ payload: borrowing P, _ header: UnsafePointer<FrameHeader>) {
        last.count += 1
        last.keep(copy payload)
    }
}
