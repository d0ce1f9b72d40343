/// Instances of a chain of stages, one for each key. A key is a stream, or the identity of a part of a stream's frames, such as one
/// hand.
///
/// The number of instances is limited: a full pool evicts the least recently used instance before it creates another. Using an
/// instance costs one lookup. Evictions, and the order in which instances finish, depend only on the order of the calls.
// Not thread-safe: only the task of the segment that uses the pool accesses it.
final class ChainPool<Key: Hashable> {
    /// The instance of the chain for one key.
    final class Instance {
        // The unchecked properties are used for every frame, by one task at a time.
        let key: Key
        /// The nodes of its stages.
        let memory: UnsafeMutableRawPointer
        /// The time that its stream has reached: the timestamp of the last frame, or a later watermark.
        @exclusivity(unchecked) var last = Timestamp.beforeAll
        /// The arrival time of the last frame, in a live run.
        @exclusivity(unchecked) var arrival: Int64 = 0
        /// Frames at or before this time are refused as late.
        @exclusivity(unchecked) var settled = Timestamp.beforeAll
        /// The watermark for all streams when the instance was created. It does not apply to this stream, which began later. Only
        /// later watermarks for all streams apply.
        var globalWatermark = Timestamp.beforeAll
        /// The earliest wake-up that its stages have requested.
        @exclusivity(unchecked) fileprivate(set) var nextWake: Timestamp?
        /// The position in the order in which instances were created.
        let ordinal: Int
        private let chain: Chain

        fileprivate init(_ key: Key, ordinal: Int, of chain: Chain, for stream: StreamID) {
            self.key = key
            self.ordinal = ordinal
            self.chain = chain
            memory = chain.make(for: stream)
        }

        deinit { chain.free(memory) }
    }

    let chain: Chain
    private var instances: Recent<Key, Instance>
    private var made = 0
    /// The wake-ups that were requested. A wake-up is out of date if its instance has requested another time since, or was
    /// removed.
    private var wakes = Heap<Wake>()
    /// The instances that wait for a wake-up, by their ordinals.
    private var waiting: [Int: Instance] = [:]

    /// Creates an empty pool that holds at most `capacity` instances.
    init(_ chain: Chain, capacity: Int) {
        self.chain = chain
        instances = Recent(capacity: capacity)
    }

    // MARK: Instances

    /// Returns the instance of a key, if there is one.
    func known(_ key: Key) -> Instance? { instances.known(key) }

    /// Returns the instance of a key, and creates it if there is none. The instance becomes the most recently used.
    ///
    /// - Parameters:
    ///   - ordinal: The position of a new instance in the order of creation; `nil` for the next position of this pool.
    ///   - evict: Finishes an instance before it is removed to make room.
    func use(_ key: Key, for stream: StreamID, ordinal: Int? = nil, evict: (Instance) -> Void) -> Instance {
        if let known = instances[key] { return known }
        while instances.count >= instances.capacity, let oldest = instances.first?.value {
            evict(oldest)
            remove(oldest)
        }
        let instance = Instance(key, ordinal: ordinal ?? made, of: chain, for: stream)
        made += 1
        instances.update(key, instance)
        return instance
    }

    /// All instances, the least recently used first.
    var all: [Instance] { instances.all.map(\.value) }

    /// Removes an instance.
    func remove(_ instance: Instance) {
        instances.remove(instance.key)
        waiting[instance.ordinal] = nil
    }

    /// Removes the instances that were last used before a time (`nil`: all instances). Returns them in the order of their creation.
    ///
    /// If a time is given, `last` must not decrease from one use of the pool to the next: the search ends at the first instance, in
    /// the order of use, whose `last` is not before the time.
    func removeAll(lastUsedBefore time: Timestamp? = nil) -> [Instance] {
        var removed: [Instance] = []
        while let oldest = instances.first?.value, time.map({ oldest.last < $0 }) ?? true {
            removed.append(oldest)
            remove(oldest)
        }
        return removed.sorted { $0.ordinal < $1.ordinal }
    }

    // MARK: Wake-ups

    /// Updates the earliest wake-up that the stages of an instance request. Returns whether it has changed.
    @discardableResult
    func updateWake(of instance: Instance) -> Bool {
        let next = chain.nextWake(of: instance.memory)?.time
        guard next != instance.nextWake else { return false }
        instance.nextWake = next
        waiting[instance.ordinal] = next == nil ? nil : instance
        if let next { wakes.insert(Wake(time: next, ordinal: instance.ordinal)) }
        if wakes.count > 2 * waiting.count + 64 { removeOutOfDateWakes() }
        return true
    }

    private func removeOutOfDateWakes() {
        wakes = Heap()
        for instance in waiting.values {
            if let time = instance.nextWake { wakes.insert(Wake(time: time, ordinal: instance.ordinal)) }
        }
    }

    /// The earliest wake-up and its instance. If several instances request the same time, the instance that was created first.
    var nextWake: (time: Timestamp, instance: Instance)? {
        while let wake = wakes.first {
            if let instance = waiting[wake.ordinal], instance.nextWake == wake.time { return (wake.time, instance) }
            wakes.removeFirst()
        }
        return nil
    }

    /// Wakes the stage of an instance with the earliest wake-up. If several stages request the same time, wakes the first in the
    /// chain.
    func wakeFirst(of instance: Instance) {
        guard let (time, node) = chain.nextWake(of: instance.memory) else { return }
        node.wake(at: time)
    }

    /// Ends an instance: its stages finish.
    func finish(_ instance: Instance, at bound: Timestamp) { chain.finish(instance.memory, at: bound) }
}

/// A wake-up of an instance. Wake-ups at the same time are in the order in which their instances were created.
private struct Wake: Comparable {
    let time: Timestamp
    let ordinal: Int

    static func < (a: Wake, b: Wake) -> Bool { (a.time, a.ordinal) < (b.time, b.ordinal) }
}
