/// Requests watermarks for the times that a task's stages wait for, in a live run.
struct WakeRequests: Sendable {
    /// The requests to the sources.
    let time: TimeRequests

    /// Watermarks that the task creates itself; `nil` if no stage upstream renames streams, so that a source knows every stream.
    let own: OwnWatermarks?

    /// The waker of the task.
    let waker: Waker

    /// The timer for streams that no source knows.
    let timer: RunTimer

    /// Requests a watermark for when a stream has passed `time`; `nil` cancels the request. If no source knows the stream, its time
    /// is derived from the last frame of the stream that reached the task, and from that frame's arrival time.
    func request(_ stream: StreamID, _ time: Timestamp?, last: Timestamp, arrival: Int64) {
        let isKnown = self.time.request(stream, time)
        guard let own else { return }
        guard !isKnown, let time, let source = self.time.sources.first, arrival > 0 else { return own.cancel(stream) }
        let moment = source.moment(of: time, last: last, arrival: arrival)
        if own.request(stream, time, at: moment) { setTimer(stream, own, at: moment) }
    }

    private func setTimer(_ stream: StreamID, _ own: OwnWatermarks, at moment: Int64) {
        timer.schedule(at: moment) { [self] in
            switch own.announce(stream, at: moment) {
            case .isReady: waker.signal()
            case .isDue(let later): setTimer(stream, own, at: later)
            case .isGone: break
            }
        }
    }
}
