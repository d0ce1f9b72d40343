import Pipeline

/// Computes the times at which the frames of a recording are due.
///
/// If another run was appended to the recording, so that the clock starts over, the first frame of that run is due one second of
/// recorded time after the last frame before it; see ``SessionDetector``.
package struct ReplayPacer: Sendable {
    private let rate: ReplayRate
    private var anchor: (time: Int64, clock: Int64)?
    private var sessions: SessionDetector?
    /// The latest due time so far, in nanoseconds.
    private var latest: Int64 = 0

    package init(_ rate: ReplayRate) { self.rate = rate }

    /// Returns the time at which a frame is due, in nanoseconds of the run's clock, or `nil` if the frame is due at once.
    ///
    /// The first frame is due at `now`.
    ///
    /// - Parameters:
    ///   - stream: The stream of the frame.
    ///   - timestamp: The timestamp of the frame.
    ///   - receipt: The frame's arrival time in microseconds, if the replay follows arrival times instead of timestamps.
    ///   - now: The current time of the run's clock. It is not read if every frame is due at once.
    package mutating func due(
        of stream: StreamID, at timestamp: Timestamp, came receipt: Int64? = nil, now: @autoclosure () -> Int64
    ) -> Int64? {
        guard case .times(let rate) = rate else { return nil }
        let now = now()
        let time = receipt ?? timestamp.rawValue
        if sessions == nil { sessions = SessionDetector(receipt == nil ? .timestamp : .receipt) }
        if sessions?.begins(with: stream, at: time) == true {
            anchor = (time, max(now, latest.addingSaturated(Int64(Double(SessionDetector.pause) * 1000 / rate))))
        }
        let anchor = anchor ?? (time, now)
        self.anchor = anchor
        let wait = Double(time.subtractingSaturated(anchor.time)) * 1000 / rate
        guard wait >= 0, wait < 4e18 else { return wait > 0 ? .max : nil }
        let (due, overflow) = anchor.clock.addingReportingOverflow(Int64(wait))
        guard !overflow else { return .max }
        latest = max(latest, due)
        return due
    }

    /// Resets the pacer, to replay the recording again from its first frame.
    package mutating func restart() { (anchor, sessions, latest) = (nil, nil, 0) }
}
