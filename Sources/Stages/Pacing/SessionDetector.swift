import Pipeline

/// Detects where the sessions of a recording begin. Each run that was appended to the recording is a session, in which the clock
/// starts over.
///
/// Within a stream, the clock of one run does not go back. Arrival times are never out of order, so any step back begins a session.
/// Timestamps can be out of order, so only a step back of more than a second begins one. A step forward of more than a day also
/// begins a session, because a replay should not wait that long. If a single wrong timestamp caused this step, the step back to the
/// next frame begins another session, and the replay goes on.
package struct SessionDetector: Sendable {
    /// The clock that the detector follows.
    package enum Clock: Sendable {
        /// The receiver's clock, which all streams of a run share.
        case receipt
        /// The senders' clocks. Each stream may have its own.
        case timestamp
    }

    /// The time between the last frame of a session and the first frame of the next one in a replay, in microseconds.
    package static let pause: Int64 = 1_000_000

    /// The largest step back of timestamps within a session, in microseconds.
    private static let disorder: Int64 = 1_000_000

    /// The longest time between frames of a stream in one session, in microseconds.
    private static let longestGap: Int64 = 86_400_000_000

    /// The largest time, in microseconds, by which the first frame of a stream may have arrived before the first frame of the same
    /// session in the recording. Recordings may be ordered by timestamp, so a frame can come after frames that arrived later.
    private static let overtaking: Int64 = 10_000_000

    private let clock: Clock
    private var last = RecentStreams<Int64>()
    private var begin: Int64?

    /// Creates a detector that has seen no session.
    package init(_ clock: Clock) { self.clock = clock }

    /// Processes a frame, and returns whether it is the first of a further session. O(1).
    package mutating func begins(with stream: StreamID, at time: Int64) -> Bool {
        let begins: Bool
        switch (clock, last[stream], begin) {
        case (.receipt, let last?, _): begins = time < last || time.subtractingSaturated(last) > Self.longestGap
        case (.receipt, nil, let begin?): begins = time < begin.subtractingSaturated(Self.overtaking)
        case (.timestamp, let last?, _):
            begins =
                time < last.subtractingSaturated(Self.disorder) || time.subtractingSaturated(last) > Self.longestGap
        default: begins = false
        }
        if begins { last = RecentStreams() }
        if begins || begin == nil { begin = time }
        last.update(stream, max(time, last[stream] ?? time))
        return begins
    }
}
