/// Asks for the time that a task's stages wait for, in a live run.
struct WakeRequests: Sendable {
    /// Whom it asks.
    let time: TimeRequests

    /// Bounds that the task gives itself; `nil` where no stage before it renames streams, so that a source knows them.
    let own: OwnBounds?

    /// What its task waits in.
    let waker: Waker

    /// When there is nobody to ask.
    let timer: RunTimer

    /// Asks that the time of a stream be told once it has passed `time` (`nil`: no longer). The last frame of the stream
    /// that came here, and when it arrived, count where no source knows the stream.
    func request(_ stream: StreamID, _ time: Timestamp?, last: Timestamp, arrival: Int64) {
        let isKnown = self.time.request(stream, time)
        guard !isKnown, let own, let time, let source = self.time.sources.first, arrival > 0 else { return }
        timer.schedule(at: source.moment(of: time, last: last, arrival: arrival)) { [waker] in
            own.add(stream, time)
            waker.signal()
        }
    }
}
