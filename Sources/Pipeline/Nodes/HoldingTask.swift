/// A task as a commit point uses it. The run must be frozen for every call.
protocol HoldingTask: RunTask {
    /// Passes each frame that the task holds to `body`; of a stage's frames, at least the first.
    ///
    /// - Parameter body: Receives the position of the node that holds it among the task's nodes, its stream, and its timestamp.
    func forEachHeld(_ body: (Int, StreamID, Timestamp) -> Void)

    /// Forgets streams that another process continues with: drops what it holds of them, without ending them.
    func release(_ streams: Set<StreamID>)
}

extension HoldingTask {
    /// Nothing.
    func forEachHeld(_ body: (Int, StreamID, Timestamp) -> Void) {}
}

extension SegmentTask: HoldingTask {
    func forEachHeld(_ body: (Int, StreamID, Timestamp) -> Void) {
        input.forEachHeld { body(0, $0, $1) }
        self.body.chains.forEachHeld(body)
    }

    func release(_ streams: Set<StreamID>) {
        body.release(streams, from: input)
        body.chains.release(streams)
    }
}

extension SharedSegmentTask: HoldingTask {
    func forEachHeld(_ body: (Int, StreamID, Timestamp) -> Void) {
        input.forEachHeld { body(0, $0, $1) }
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

extension FusedSinkTask: HoldingTask {
    func release(_ streams: Set<StreamID>) {
        for stream in streams.sorted(by: { $0.name < $1.name }) { node.release(stream) }
    }
}

extension SinkTask: HoldingTask {
    func forEachHeld(_ body: (Int, StreamID, Timestamp) -> Void) { input.forEachHeld { body(0, $0, $1) } }

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
