import Pipeline

extension SenderSurvey {
    /// What is known of a stream.
    package struct Stream: Sendable {
        /// Its name.
        package let name: String
        /// How many messages have come.
        package fileprivate(set) var messages: Int64 = 0
        /// How many of them could not be read: as what they are taken for, or, while they are taken for nothing, as anything.
        package fileprivate(set) var failed: Int64 = 0
        /// How many numbers were missing.
        package fileprivate(set) var lost: Int64 = 0
        /// How many bytes their payloads had.
        package fileprivate(set) var bytes: Int64 = 0
        /// When the first and the last came, in nanoseconds.
        package fileprivate(set) var first: Int64
        package fileprivate(set) var last: Int64
        /// What the last was, in a few words.
        package fileprivate(set) var text = ""
        /// What is wrong with the last that could not be read.
        package fileprivate(set) var error: PipelineError?
        /// The last message.
        fileprivate var message = ReceivedMessage(parts: [], arrival: 0)
        /// The last time that a message itself gave.
        fileprivate var time: Timestamp?

        /// How many messages come a second; nothing after one message.
        package var rate: Double? {
            last > first ? Double(messages - 1) / (Double(last - first) / 1e9) : nil
        }

        /// What the last message looks like, on a few lines: the keys and their values in short.
        package var outline: [String] {
            message.parts.count > 2
                ? ["a message of \(message.parts.count) frames"] : SenderSurvey.outline(of: message.parts.last ?? [])
        }
    }
}

/// The streams of a sender, in the order they came, and what is known of each.
struct SurveyedStreams {
    /// How many streams are told apart.
    static let capacity = 1000

    /// What is known of each.
    private(set) var all: [SenderSurvey.Stream] = []
    /// How many messages of further streams have come.
    private(set) var unfollowed: Int64 = 0

    private var places: [String: Int] = [:]
    private var numbers = WireNumbers()

    /// Takes note of a message, and of what it was read as; `nil` when nobody knows how to read it.
    ///
    /// - Returns: Whether it fits those before it: it holds something, its number is the next one, its time a later one.
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
            // An end that is said again has the number behind the last.
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
