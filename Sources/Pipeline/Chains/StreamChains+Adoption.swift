/// How the instances of a segment continue with the state of another segment, while a run is reloaded.
extension StreamChains {
    /// The streams, in the order in which they came, and the least recently used first.
    var order: (byArrival: [StreamID], byUse: [StreamID]) {
        let all = pool.all
        return (all.sorted { $0.ordinal < $1.ordinal }.map(\.key), all.map(\.key))
    }

    /// Creates the instance of a stream, or uses it.
    func adopt(_ stream: StreamID, ordinal: Int?) {
        _ = pool.use(stream, for: stream, ordinal: ordinal) { _ in }
    }

    /// Lets a stage of a stream continue with its state in another segment. Does nothing where there is no such stream.
    func adopt(_ index: Int, of stream: StreamID, from other: StreamChains, _ position: Int) {
        guard let instance = pool.known(stream), let old = other.pool.known(stream) else { return }
        pool.chain.adopt(index, of: instance.memory, from: other.pool.chain, position, of: old.memory)
        instance.last = max(instance.last, old.last)
        instance.arrival = max(instance.arrival, old.arrival)
        instance.settled = max(instance.settled, old.settled)
        instance.boundOfAll = old.boundOfAll
        boundOfAll = max(boundOfAll, other.boundOfAll)
    }

    /// Requests the wake-ups of all instances again.
    func requestWakes() {
        for instance in pool.all { updateWakes(of: instance) }
    }

    /// Whether a stage could continue with the state of a stage of another segment.
    func canAdopt(_ index: Int, from other: StreamChains, _ position: Int) -> Bool {
        pool.chain.canAdopt(index, from: other.pool.chain, position)
    }
}
