import Pipeline

extension SenderSurvey {
    /// The state of a stream.
    package struct Stream: Sendable {
        /// The name of the stream.
        package let name: String
        /// The number of messages.
        package fileprivate(set) var messages: Int64 = 0
        /// The number of messages that could not be read: with the options of the guess or, while there is no guess, with any
        /// options.
        package fileprivate(set) var failed: Int64 = 0
        /// The number of missing sequence numbers.
        package fileprivate(set) var lost: Int64 = 0
        /// The total size of the payloads, in bytes.
        package fileprivate(set) var bytes: Int64 = 0
        /// The arrival times of the first and the last message, in nanoseconds.
        package fileprivate(set) var first: Int64
        package fileprivate(set) var last: Int64
        /// A short description of the last message that could be read.
        package fileprivate(set) var text = ""
        /// The error of the last message that could not be read.
        package fileprivate(set) var error: PipelineError?
        /// The last message.
        fileprivate var message = ReceivedMessage(parts: [], arrival: 0)
        /// The last timestamp that a message contained.
        fileprivate var time: Timestamp?

        /// The number of messages per second, or `nil` if all messages arrived at the same time.
        package var rate: Double? {
            last > first ? Double(messages - 1) / (Double(last - first) / 1e9) : nil
        }

        /// A description of the last message in a few lines: its keys and abbreviated values.
        package var outline: [String] {
            message.parts.count > 2
                ? ["a message of \(message.parts.count) frames"] : SenderSurvey.outline(of: message.parts.last ?? [])
        }
    }
}

/// The streams of a sender, in the order of their first message, and their state.
struct SurveyedStreams {
    /// The maximum number of streams.
    static let capacity = 1000

    /// The state of each stream.
    private(set) var all: [SenderSurvey.Stream] = []
    /// The number of messages in streams beyond the maximum.
    private(set) var unfollowed: Int64 = 0

    private var places: [String: Int] = [:]
    private var numbers = WireNumbers()

    /// Records a message and the result of reading it.
    ///
    /// - Parameters:
    ///   - message: The message.
    ///   - number: The number of the message in the survey.
    ///   - reading: The result of reading the message, or `nil` when there is no guess.
    /// - Returns: Whether the message fits the guess and the earlier messages of its stream: it has content, the next sequence
    ///   number and a later time. `false` when there is no guess. `true` for a stream beyond the maximum.
    @discardableResult
    mutating func note(
        _ message: ReceivedMessage, numbered number: Int64, _ reading: Result<SenderReading.Summary, any Error>?
    ) -> Bool {
        let topic = message.parts.count == 2 ? String(decoding: message.parts[0], as: UTF8.self) : ""
        var name = topic
        if case .success(let read) = reading { name = read.stream.name }
        let place = places[name] ?? all.count
        if place == all.count {
            guard all.count < Self.capacity else {
                unfollowed += 1
                return true
            }
            places[name] = place
            all.append(SenderSurvey.Stream(name: name, first: message.arrival, last: message.arrival))
        }
        all[place].messages += 1
        all[place].bytes += Int64(message.parts.last?.count ?? 0)
        all[place].first = min(all[place].first, message.arrival)
        if message.arrival >= all[place].last {
            all[place].last = message.arrival
            all[place].message = message
        }
        switch reading {
        case .success(let read): return note(read, at: place)
        case .failure(let error):
            all[place].failed += 1
            all[place].error = (error as? PipelineError)?.located(in: "message \(number)")
            return false
        case nil: return false
        }
    }

    private mutating func note(_ read: SenderReading.Summary, at place: Int) -> Bool {
        all[place].text = read.text
        if read.isQuiet {
            // The repeated end of a stream has the number that follows the last frame's.
            let last = read.sequence.map { read.endsStream ? $0 - 1 : $0 }
            all[place].lost += last.map { numbers.reached($0, by: read.stream) } ?? 0
            return true
        }
        var fits = read.hasContent || read.endsStream
        let verdict = numbers.judge(read.stream, read.sequence, at: read.time)
        if case .lost(let count) = verdict { all[place].lost += count }
        if verdict != .next { fits = false }
        if let time = read.givenTime {
            if let last = all[place].time, time <= last { fits = false }
            all[place].time = time
        }
        return fits
    }
}
