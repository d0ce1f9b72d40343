/// Counts and reports the frames that a source does not pass on.
extension SourceTask {
    func drop(_ frame: FrameHeader, _ reason: DropReason, _ fault: StreamOrder.Fault? = nil) {
        // Without the arrival time: a frame that was recorded has that of another run.
        account.drop(FrameHeader(timestamp: frame.timestamp, stream: frame.stream, sequence: frame.sequence), reason)
        guard fault != nil || reason == "duplicate" else { return }
        irregular += 1
        account.logDropped(frame, fault, count: irregular)
    }

    @inline(never)
    func failOrder(_ memory: UnsafeMutableRawPointer, _ fault: StreamOrder.Fault) {
        let frame = memory.assumingMemoryBound(to: Frame<S.Output>.self).pointee
        let error = PipelineError.frame("source.disorder", fault.words, help: fault.help)
        if account.fail(frame.header, frame.payload, error) { hasFailed = true }
        slotOutlets.take(.inputEnd)
        advance(to: nil)
    }

    /// Drops a late frame, or fails the run, depending on `on_late`.
    @inline(never)
    func refuse(_ frame: FrameHeader) {
        order.pointee.noteMissing(Int64(frame.gap) + 1, of: frame.stream)
        guard onLate == .fail else { return drop(frame, .late) }
        metrics.failed.add()
        hasFailed = true
        monitor.fail(
            name,
            .frame(
                "source.late", "a frame arrived after the watermark of its stream had passed it", location: frame.place,
                help: "raise lateness_ms, or drop such frames with on_late: drop"))
    }
}
