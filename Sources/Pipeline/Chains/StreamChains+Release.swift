/// Finds what the stages of a segment hold at a commit point, and forgets streams that another process continues with.
extension StreamChains {
    /// Calls `body` for each stage, and for each stream of which the stage holds frames. Passes the position of the stage in the
    /// chain, the stream, and the timestamp of the first held frame.
    func forEachHeld(_ body: (Int, StreamID, Timestamp) -> Void) {
        for instance in pool.all {
            for index in pool.chain.slots.indices {
                if let time = pool.chain.heldSince(index, instance.memory) { body(index, instance.key, time) }
            }
        }
    }

    /// Removes the instances of streams. Their stages do not finish.
    func release(_ streams: Set<StreamID>) {
        for stream in streams {
            guard let instance = pool.known(stream) else { continue }
            forget(instance)
        }
    }
}
