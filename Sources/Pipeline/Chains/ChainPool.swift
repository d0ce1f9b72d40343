/// Instances of a chain, one for each key: a stream, or an element of a stream's frames.
///
/// They are bounded: of more than that, the one not used for longest goes first. Using an instance costs one look-up. Which one goes, and in which order they finish, depends on the order of the calls only.
// Everything in it is touched by the task of its segment only.
final class ChainPool<Key: Hashable> {
    /// The instance of one key.
    final class Instance {
        let key: Key
        /// The nodes of its stages.
        let memory: UnsafeMutableRawPointer
        /// The time of the last frame, or that which its stream has come to since.
        var last = Timestamp.beforeAll
        /// When that frame arrived, in a live run.
        var arrival: Int64 = 0
        /// No frame at or before this may come any more.
        var settled = Timestamp.beforeAll
        /// What was known of all streams when it was made: what has become known since holds for its stream, too.
        var boundOfAll = Timestamp.beforeAll
        /// When its first stage to be woken wants to be.
        fileprivate(set) var nextWake: Timestamp?
        /// Which one it is in the order in which they were made.
        let ordinal: Int
        private let chain: Chain
        // Neighbors in the order in which instances were last used.
        fileprivate unowned(unsafe) var older: Instance?
        fileprivate unowned(unsafe) var newer: Instance?

        fileprivate init(_ key: Key, ordinal: Int, of chain: Chain, for stream: StreamID) {
            self.key = key
            self.ordinal = ordinal
            self.chain = chain
            memory = chain.make(for: stream)
        }

        deinit { chain.free(memory) }
    }

    let chain: Chain
    private let capacity: Int
    private var instances: [Key: Instance] = [:]
    private var oldest: Instance?
    private var newest: Instance?
    private var made = 0
    private var wakes = WakeQueue()
    private var waiting: [Int: Instance] = [:]

    /// Holds none yet, and `capacity` at most.
    init(_ chain: Chain, capacity: Int) {
        self.chain = chain
        self.capacity = max(1, capacity)
    }

    // MARK: Instances

    /// The instance of a key, if there is one.
    func known(_ key: Key) -> Instance? { instances[key] }

    /// Uses the instance of a key: makes it when there is none.
    ///
    /// - Parameters:
    ///   - ordinal: Which one a new one is in the order in which they are made; `nil` for the next one of this pool.
    ///   - evict: Finishes the one that has to go to make room, before it goes.
    func use(_ key: Key, for stream: StreamID, ordinal: Int? = nil, evict: (Instance) -> Void) -> Instance {
        if let known = instances[key] {
            unlink(known)
            link(known)
            return known
        }
        while instances.count >= capacity, let oldest {
            evict(oldest)
            remove(oldest)
        }
        let instance = Instance(key, ordinal: ordinal ?? made, of: chain, for: stream)
        made += 1
        instances[key] = instance
        link(instance)
        return instance
    }

    /// Takes an instance out.
    func remove(_ instance: Instance) {
        unlink(instance)
        instances[instance.key] = nil
        waiting[instance.ordinal] = nil
    }

    /// Takes all instances out that were last used before a time (`nil`: all), in the order in which they were made.
    func removeAll(lastUsedBefore time: Timestamp? = nil) -> [Instance] {
        var removed: [Instance] = []
        while let oldest, time.map({ oldest.last < $0 }) ?? true {
            removed.append(oldest)
            remove(oldest)
        }
        return removed.sorted { $0.ordinal < $1.ordinal }
    }

    private func link(_ instance: Instance) {
        instance.older = newest
        newest?.newer = instance
        newest = instance
        if oldest == nil { oldest = instance }
    }

    private func unlink(_ instance: Instance) {
        if let older = instance.older { older.newer = instance.newer } else { oldest = instance.newer }
        if let newer = instance.newer { newer.older = instance.older } else { newest = instance.older }
        (instance.older, instance.newer) = (nil, nil)
    }

    // MARK: Wake-ups

    /// Notes when the stages of an instance want to be woken now. Returns whether that has changed.
    @discardableResult
    func updateWake(of instance: Instance) -> Bool {
        let next = chain.nextWake(of: instance.memory)?.time
        guard next != instance.nextWake else { return false }
        instance.nextWake = next
        waiting[instance.ordinal] = next == nil ? nil : instance
        if let next { wakes.insert(next, instance.ordinal) }
        return true
    }

    /// The instance that is to be woken first, and when; of several at one time, the one made first.
    var nextWake: (time: Timestamp, instance: Instance)? {
        while let (time, ordinal) = wakes.first {
            if let instance = waiting[ordinal], instance.nextWake == time { return (time, instance) }
            // It has changed its mind, or is gone.
            wakes.removeFirst()
        }
        return nil
    }

    /// Wakes the stage of an instance that is to be woken first; of several at one time, the first in the chain.
    func wakeFirst(of instance: Instance) {
        guard let (time, node) = chain.nextWake(of: instance.memory) else { return }
        node.wake(at: time)
    }

    /// Ends an instance: its stages finish.
    func finish(_ instance: Instance, at bound: Timestamp) { chain.finish(instance.memory, at: bound) }
}
