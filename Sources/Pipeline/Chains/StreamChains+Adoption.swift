/// Moves the state of a segment's instances to another segment while a run is reloaded.
extension StreamChains {
    /// The streams in order of arrival, and in order of use with the least recently used first.
    var order: (byArrival: [StreamID], byUse: [StreamID]) {
        let all = pool.all
        return (all.sorted { $0.ordinal < $1.ordinal }.map(\.key), all.map(\.key))
    }

    /// Creates the instance of a stream if there is none, and marks it as the most recently used.
    func adopt(_ stream: StreamID, ordinal: Int?) {
        _ = pool.use(stream, for: stream, ordinal: ordinal) { _ in }
    }

    /// Takes over a stage's state for one stream from another segment. The stage is at `index` in this segment and at `position` in
    /// the other one. Does nothing if either segment does not have the stream.
    func adopt(_ index: Int, of stream: StreamID, from other: StreamChains, _ position: Int) {
        guard let instance = pool.known(stream), let old = other.pool.known(stream) else { return }
        pool.chain.adopt(index, of: instance.memory, from: other.pool.chain, position, of: old.memory)
        instance.last = max(instance.last, old.last)
        instance.arrival = max(instance.arrival, old.arrival)
        instance.settled = max(instance.settled, old.settled)
        instance.globalWatermark = old.globalWatermark
        globalWatermark = max(globalWatermark, other.globalWatermark)
    }

    /// Requests the wake-ups of all instances again.
    func requestWakes() {
        for instance in pool.all { updateWakes(of: instance) }
    }

    /// Returns whether a stage can take over the state of a stage of another segment.
    func canAdopt(_ index: Int, from other: StreamChains, _ position: Int) -> Bool {
        pool.chain.canAdopt(index, from: other.pool.chain, position)
    }
}
