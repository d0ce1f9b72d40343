import Pipeline

/// Determines whether times and sequence numbers increase in every stream as a source expects, if messages are read according to a
/// guess.
struct SenderOrder {
    private struct Stream {
        var time: Timestamp?
        var number: Int64?
        var place = 0
    }

    /// The number of streams in the messages.
    let streams: Int
    /// Whether the times in the messages increase in every stream.
    private(set) var timesIncrease = true
    /// Whether the sequence numbers increase in every stream, at least half of the time by one. `false` if several streams share
    /// a counter.
    let sequenceIncreases: Bool

    /// Examines messages in the order of their arrival. Returns `nil` when the guess cannot read all of them.
    init?(_ guess: SenderGuess, _ cut: MessageCut) {
        guard let reading = SenderReading(guess) else { return nil }
        var streams: [StreamID: Stream] = [:]
        // The steps of the numbers within a stream: all of them, and those with messages of other streams in between.
        var (steps, interrupted): ([Int64], [Int64]) = ([], [])
        // The steps of the numbers between consecutive messages of different streams.
        var changes: [Int64] = []
        var before: (stream: StreamID, number: Int64)?
        for (place, message) in cut.messages.enumerated() {
            guard let read = try? reading.read(message) else { return nil }
            var stream = streams[read.stream] ?? Stream()
            if let time = read.givenTime {
                if let last = stream.time, time <= last { timesIncrease = false }
                stream.time = time
            }
            if let number = read.sequence {
                if let last = stream.number {
                    steps.append(number.distance(from: last))
                    if stream.place < place - 1 { interrupted.append(number.distance(from: last)) }
                }
                if let before, before.stream != read.stream { changes.append(number.distance(from: before.number)) }
                before = (read.stream, number)
                (stream.number, stream.place) = (number, place)
            }
            streams[read.stream] = stream
        }
        self.streams = streams.count
        // If several streams share a counter, it always increases by one between streams.
        let isShared = interrupted.isEmpty && !changes.isEmpty && changes.allSatisfy { $0 == 1 }
        sequenceIncreases =
            steps.allSatisfy { $0 > 0 } && Self.isMostlyOne(steps) && Self.isMostlyOne(interrupted) && !isShared
    }

    private static func isMostlyOne(_ steps: [Int64]) -> Bool { 2 * steps.count { $0 == 1 } >= steps.count }
}

extension Int64 {
    /// Returns the difference from another number, or the nearest representable number when the difference overflows.
    fileprivate func distance(from other: Int64) -> Int64 {
        let (distance, overflow) = subtractingReportingOverflow(other)
        return overflow ? (self > other ? .max : .min) : distance
    }
}
