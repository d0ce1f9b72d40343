/// Counts and reports the frames that a source does not pass on.
extension SourceTask {
    func drop(_ frame: FrameHeader, _ reason: DropReason, _ fault: StreamOrder.Fault? = nil) {
        drop(frame.stream, frame.timestamp, frame.sequence, reason, fault)
    }

    @inline(never)
    func failOrder(_ memory: UnsafeMutableRawPointer, _ fault: StreamOrder.Fault) {
        let frame = memory.assumingMemoryBound(to: Frame<S.Output>.self).pointee
        fail(
            .frame("source.disorder", fault.words, location: frame.place, help: fault.help),
            stream: frame.stream, frame: frame)
        advance(to: nil)
    }

    /// Drops a late frame, or fails the run, depending on `on_late`.
    @inline(never)
    func refuse(_ memory: UnsafeMutableRawPointer) {
        let frame = memory.assumingMemoryBound(to: Frame<S.Output>.self).pointee
        order.pointee.noteMissing(Int64(frame.missing), of: frame.stream)
        guard onLate == .fail else { return drop(frame.header, .late) }
        metrics.failed.add()
        hasFailed = true
        monitor.fail(
            name,
            .frame(
                "source.late", "a frame arrived after the watermark of its stream had passed it", location: frame.place,
                help: "raise lateness_ms, or drop such frames with on_late: drop"))
    }

    func drop(
        _ stream: StreamID, _ timestamp: Timestamp, _ sequence: Int64, _ reason: DropReason,
        _ fault: StreamOrder.Fault? = nil
    ) {
        metrics.dropped.add(reason)
        if fault != nil || reason == "duplicate" {
            irregular += 1
            monitor.logDropped(name, "frame \(sequence) of \(stream.name) at \(timestamp)", fault, count: irregular)
        }
        monitor.tell(
            DropRecord(stream: stream, timestamp: timestamp, sequence: sequence, place: name, reason: reason))
    }

    func fail(_ error: PipelineError, stream: StreamID, frame: Frame<S.Output>?) {
        metrics.failed.add()
        let failed = Frame(
            FailedFrame(node: name, error: error, frame: frame?.payload), at: frame?.timestamp ?? .zero,
            stream: stream, sequence: frame?.sequence ?? 0, origin: frame?.origin)
        if policy.settle(failed, count: metrics.failed.value, monitor, route.errors) { hasFailed = true }
        slotOutlets.take(.inputEnd)
    }
}
