import Pipeline

/// Finds where a recording was appended to: where its clock starts over, since another run wrote on.
///
/// Within a stream the clock of one run does not go back. Times of receipt are never out of order, so any step back begins a session;
/// timestamps may be, so that only one of more than a second does. A step forward by more than a day does as well: nobody waits for
/// it, and behind a single time that is wrong it leads to where the others were. Pure state.
package struct SessionDetector: Sendable {
    /// The clock that is followed.
    package enum Clock: Sendable {
        /// The receiver's, which all streams of a run share.
        case receipt
        /// The senders': each stream may have its own.
        case timestamp
    }

    /// The time between the last frame of a session and the first of the next, when they are replayed one after another, in
    /// microseconds.
    package static let pause: Int64 = 1_000_000

    /// How far timestamps of a stream may be out of order, in microseconds.
    private static let disorder: Int64 = 1_000_000

    /// The longest time between frames of a stream in one session, in microseconds.
    private static let longestGap: Int64 = 86_400_000_000

    /// How much sooner than the first frame of a run one of another stream may have come that was written after it, in
    /// microseconds: frames may have been put in the order of their timestamps before.
    private static let overtaking: Int64 = 10_000_000

    private let clock: Clock
    private var last = RecentStreams<Int64>()
    private var begin: Int64?

    /// Knows of no session.
    package init(_ clock: Clock) { self.clock = clock }

    /// Takes note of a frame; whether it is the first of a session that is not the first. O(1).
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
