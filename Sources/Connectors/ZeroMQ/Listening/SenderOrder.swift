import Pipeline

/// Whether the times and numbers of messages, read as a guess says, go on in every stream as a source wants them.
struct SenderOrder {
    private struct Stream {
        var time: Timestamp?
        var number: Int64?
        var place = 0
    }

    /// How many streams there are.
    let streams: Int
    /// Whether the times that messages give increase in every stream.
    private(set) var timesGoOn = true
    /// Whether the numbers of every stream go up one by one, but for a few holes.
    let numbersGoOn: Bool

    /// Looks at messages in the order they came; `nil` when the guess does not read them all.
    init?(_ guess: SenderGuess, _ cut: MessageCut) {
        guard let reading = SenderReading(guess) else { return nil }
        var streams: [StreamID: Stream] = [:]
        // Steps within a stream: all of them, and those with messages of other streams between.
        var (steps, interrupted): ([Int64], [Int64]) = ([], [])
        // From a message to the next, of another stream.
        var changes: [Int64] = []
        var before: (stream: StreamID, number: Int64)?
        for (place, message) in cut.messages.enumerated() {
            guard let read = try? reading.read(message) else { return nil }
            var stream = streams[read.stream] ?? Stream()
            if let time = read.givenTime {
                if let last = stream.time, time <= last { timesGoOn = false }
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
        // One counter for several streams goes up by more in each: by one only from a stream to the other.
        let isShared = interrupted.isEmpty && !changes.isEmpty && changes.allSatisfy { $0 == 1 }
        numbersGoOn =
            steps.allSatisfy { $0 > 0 } && Self.isMostlyOne(steps) && Self.isMostlyOne(interrupted) && !isShared
    }

    private static func isMostlyOne(_ steps: [Int64]) -> Bool { 2 * steps.count { $0 == 1 } >= steps.count }
}

extension Int64 {
    /// How far it is from another number; as far as can be told where that is farther than any number.
    fileprivate func distance(from other: Int64) -> Int64 {
        let (distance, overflow) = subtractingReportingOverflow(other)
        return overflow ? (self > other ? .max : .min) : distance
    }
}
