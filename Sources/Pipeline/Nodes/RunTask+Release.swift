/// Finds what tasks hold at a commit point, and forgets streams that another process continues with.
extension SegmentTask {
    func forEachHeld(_ body: (Int, StreamID, Timestamp) -> Void) {
        input.join.forEachHeld { body(0, $0, $1) }
        self.body.chains.forEachHeld(body)
    }

    func release(_ streams: Set<StreamID>) {
        body.release(streams, from: input)
        body.chains.release(streams)
    }
}

extension SharedSegmentTask {
    func forEachHeld(_ body: (Int, StreamID, Timestamp) -> Void) {
        input.join.forEachHeld { body(0, $0, $1) }
        for worker in workers { worker.body.chains.forEachHeld(body) }
    }

    func release(_ streams: Set<StreamID>) {
        front.release(streams, from: input)
        for worker in workers { worker.body.chains.release(streams) }
    }
}

extension SegmentBody {
    /// Drops the frames of streams that wait in an input.
    fileprivate func release(_ streams: Set<StreamID>, from input: TaskInput) {
        input.release(streams) { item in
            refuse(item, .released)
            if case .frame(let cell) = item { input.giveBack(cell) }
        }
    }
}

extension FusedSinkTask {
    func drain() { node.drain() }

    func release(_ streams: Set<StreamID>) {
        for stream in streams.sorted(by: { $0.name < $1.name }) { node.release(stream) }
    }
}

extension SinkTask {
    func forEachHeld(_ body: (Int, StreamID, Timestamp) -> Void) { input.join.forEachHeld { body(0, $0, $1) } }

    func drain() { node.drain() }

    func release(_ streams: Set<StreamID>) {
        input.release(streams) { item in
            guard case .frame(let cell) = item else { return }
            node.refuse(cell.header.pointee, .released)
            input.recycle(cell)
        }
        for stream in streams.sorted(by: { $0.name < $1.name }) {
            times.end(stream)
            node.release(stream)
        }
    }
}
