/// What the stages of a segment hold at a commit point, and how they forget streams that another process continues with.
extension StreamChains {
    /// Passes each stream of which a stage holds something to `body`, with the timestamp of the first such frame.
    func forEachHeld(_ body: (StreamID, Timestamp) -> Void) {
        for instance in pool.all {
            if let time = pool.chain.heldSince(instance.memory) { body(instance.key, time) }
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
