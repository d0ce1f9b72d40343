/// Forgets streams that another process continues with.
extension SegmentTask {
    func release(_ streams: Set<StreamID>) {
        body.release(streams, from: input)
        body.chains.release(streams)
    }
}

extension SharedSegmentTask {
    func release(_ streams: Set<StreamID>) {
        front.release(streams, from: input)
        for worker in workers { worker.body.chains.release(streams) }
    }
}

extension SegmentBody {
    /// Drops the frames of streams that wait in an input.
    fileprivate func release(_ streams: Set<StreamID>, from input: TaskInput) {
        input.release(streams) { refuse($0, of: input, .released) }
    }
}

extension FusedSinkTask {
    func drain() { node.drain() }

    func release(_ streams: Set<StreamID>) {
        for stream in streams.sorted() { node.release(stream) }
    }
}

extension SinkTask {
    func drain() { node.drain() }

    func release(_ streams: Set<StreamID>) {
        input.release(streams) { item in
            guard case .frame(let cell) = item else { return }
            node.refuse(cell.header.pointee, .released)
            input.recycle(cell)
        }
        for stream in streams.sorted() {
            times.end(stream)
            node.release(stream)
        }
    }
}
