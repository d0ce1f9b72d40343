import Pipeline

/// What has come from a sender so far, and what it is taken for.
package struct SenderSurvey {
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

    /// How many messages a guess is made from.
    static let sampleSize = 50
    /// How many streams are told apart.
    static let maxStreams = 1000

    /// All streams, in the order they came.
    package private(set) var streams: [Stream] = []
    /// How many messages have come.
    package private(set) var messages: Int64 = 0
    /// What they are taken for; `nil` while nothing fits.
    package private(set) var guess: SenderGuess?

    private var places: [String: Int] = [:]
    private var samples: [ReceivedMessage] = []
    private var reading: SenderReading?
    private var numbers = WireNumbers()

    /// Nothing has come.
    package init() {}

    /// Takes a message. Guesses anew while there are few, and where the guess does not fit any more.
    package mutating func take(_ message: ReceivedMessage) {
        messages += 1
        // What nobody can read tells nothing of the others.
        let problem = reading == nil || message.parts.count > 2 ? message.problem : nil
        if let problem { return note(message, .failure(problem)) }
        let isSample = samples.count < Self.sampleSize
        if isSample { samples.append(message) }
        var summary: Result<SenderReading.Summary, any Error>? = reading.map { reading in
            Result { try reading.read(message) }
        }
        var isRight = false
        if case .success(let read) = summary { isRight = read.hasContent || read.endsStream }
        if isSample, !isRight || samples.count & (samples.count - 1) == 0 {
            if let better = SenderGuess(samples) ?? SenderGuess([message]) {
                guess = better
                reading = SenderReading(better)
                summary = reading.map { reading in Result { try reading.read(message) } }
            }
        }
        note(message, summary)
    }

    private mutating func note(_ message: ReceivedMessage, _ summary: Result<SenderReading.Summary, any Error>?) {
        let topic = message.parts.count == 2 ? String(decoding: message.parts[0], as: UTF8.self) : ""
        var name = topic
        if case .success(let read) = summary { name = read.stream.name }
        let place = places[name] ?? streams.count
        if place == streams.count {
            guard streams.count < Self.maxStreams else { return }
            places[name] = place
            streams.append(Stream(name: name, first: message.arrival, last: message.arrival))
        }
        streams[place].messages += 1
        streams[place].bytes += Int64(message.parts.last?.count ?? 0)
        streams[place].last = message.arrival
        streams[place].message = message
        switch summary {
        case .success(let read):
            streams[place].text = read.text
            if case .lost(let count) = numbers.judge(read.stream, read.sequence, at: read.time) {
                streams[place].lost += count
            }
        case .failure(let error):
            streams[place].failed += 1
            streams[place].error = (error as? PipelineError)?.located(in: "message \(messages)")
        case nil: break
        }
    }

    private static func outline(of payload: [UInt8]) -> [String] {
        guard !payload.isEmpty else { return ["an empty payload"] }
        for syntax in [DocumentSyntax.json, .messagePack] {
            guard let document = try? DocumentValue(payload, syntax) else { continue }
            guard case .object(let fields) = document else { return [document.outline()] }
            return fields.map { "\($0.key): \($0.value.outline())" }
        }
        guard let text = String(validating: payload.prefix(400), as: UTF8.self) else {
            return ["\(payload.count) bytes that are neither JSON, MessagePack nor text"]
        }
        return [text.count > 100 ? text.prefix(100) + "…" : text]
    }
}
