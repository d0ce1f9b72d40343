import Pipeline

/// When frames of a recording are due.
///
/// Where a recording was added to, and its clock begins anew, the next frame is due a second after the last; see ``SessionDetector``.
package struct ReplayPacer: Sendable {
    private let rate: ReplayRate
    private var anchor: (time: Int64, clock: Int64)?
    private var sessions: SessionDetector?
    /// When the last frame was due.
    private var latest: Int64 = 0

    package init(_ rate: ReplayRate) { self.rate = rate }

    /// When a frame is due, in nanoseconds of the run's clock; `nil` for at once. The first is due when it is asked for.
    ///
    /// - Parameter receipt: When it came, in microseconds, where that is what the replay goes by.
    package mutating func due(of stream: StreamID, at timestamp: Timestamp, came receipt: Int64? = nil, now: Int64)
        -> Int64?
    {
        guard case .times(let rate) = rate else { return nil }
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

    /// Begins again.
    package mutating func restart() { (anchor, sessions, latest) = (nil, nil, 0) }
}
