import Pipeline

/// What has come from a sender so far, and what it is taken for.
package struct SenderSurvey {
    private struct Sample {
        let message: ReceivedMessage
        let number: Int64
    }

    /// How many messages a guess is made from.
    static let sampleSize = 50

    /// How many messages have come.
    package private(set) var messages: Int64 = 0
    /// What they are taken for; `nil` while nothing fits.
    package private(set) var guess: SenderGuess?

    private var table = SurveyedStreams()
    /// The table of those alone that no source could read, for as long as guesses change what is known of the others.
    private var unreadable = SurveyedStreams()
    private var samples: [Sample] = []
    private var reading: SenderReading?

    private let kinds: [PayloadKind]

    /// Nothing has come.
    ///
    /// - Parameter kinds: What may come.
    package init(among kinds: [PayloadKind] = PayloadKind.standard) { self.kinds = kinds }

    /// All streams, in the order they came; at most 1,000.
    package var streams: [Stream] { table.all }

    /// How many messages have come of streams that are not among them.
    package var unfollowed: Int64 { table.unfollowed }

    /// How many of the messages could not be read as what they are taken for.
    package var failed: Int64 { streams.reduce(0) { $0 + $1.failed } }

    /// A pipeline that reads what came, as far as one can; `nil` while nothing fits.
    package func suggestion(_ place: MessageListener.Place) -> String? {
        guard let guess else { return nil }
        let note =
            failed > 0
            ? "# \(failed) of the \(messages) messages seen do not fit: a source reads one shape, subscribe: chooses topics.\n"
            : ""
        return note + guess.yaml(place)
    }

    /// Takes a message. Guesses again while there are few, and where the guess does not fit any more.
    package mutating func take(_ message: ReceivedMessage) {
        messages += 1
        let isSampling = samples.count < Self.sampleSize
        // What nobody can read tells nothing of the others.
        if let problem = reading == nil || message.parts.count > 2 ? message.problem : nil {
            table.note(message, numbered: messages, .failure(problem))
            if isSampling { unreadable.note(message, numbered: messages, .failure(problem)) }
            return
        }
        let fits = table.note(
            message, numbered: messages, reading.map { reading in Result { try reading.read(message) } })
        guard isSampling else { return }
        samples.append(Sample(message: message, number: messages))
        guard !fits || samples.count & (samples.count - 1) == 0, let better = betterGuess(for: message) else { return }
        guess = better
        reading = SenderReading(better)
        // What was lost, and of which stream, is another question now.
        table = unreadable
        for sample in samples {
            table.note(
                sample.message, numbered: sample.number,
                reading.map { reading in Result { try reading.read(sample.message) } })
        }
    }

    /// What reads the most of the samples: as one sender's, or, where they are of several shapes, as those that fit the guess
    /// so far, or as those that are like a message.
    private func betterGuess(for message: ReceivedMessage) -> SenderGuess? {
        let all = samples.map(\.message)
        var best: (guess: SenderGuess, count: Int)?
        func consider(_ guess: SenderGuess?) {
            guard let guess else { return }
            let fitting = Self.fitting(guess, all)
            if fitting.count > best?.count ?? 0 { best = (Self.withOwnNumber(guess, fitting, all), fitting.count) }
        }
        consider(SenderGuess(all, among: kinds))
        if best?.count == all.count { return best?.guess }
        if let guess { consider(SenderGuess(Self.fitting(guess, all), among: kinds)) }
        if let alone = SenderGuess([message], among: kinds) {
            consider(SenderGuess(Self.fitting(alone, all), among: kinds) ?? alone)
        }
        return best?.guess
    }

    /// A guess without the number of messages, where what is missing in it stands in messages of other shapes.
    private static func withOwnNumber(
        _ guess: SenderGuess, _ fitting: [ReceivedMessage], _ all: [ReceivedMessage]
    ) -> SenderGuess {
        guard fitting.count < all.count, let path = guess.decode.seq.first,
            let own = MessageCut(fitting)?.numbers(at: path), let first = own.min(), let last = own.max()
        else { return guess }
        let known = Set(own)
        let isShared = all.contains { message in
            guard let number = MessageCut([message])?.numbers(at: path).first else { return false }
            return first < number && number < last && !known.contains(number)
        }
        guard isShared else { return guess }
        var guess = guess
        guess.decode.seq = []
        return guess
    }

    /// The messages in which a guess finds something.
    private static func fitting(_ guess: SenderGuess, _ messages: [ReceivedMessage]) -> [ReceivedMessage] {
        guard let reading = SenderReading(guess) else { return [] }
        return messages.filter { message in
            guard let read = try? reading.read(message) else { return false }
            return read.hasContent || read.endsStream || read.isQuiet
        }
    }

    static func outline(of payload: [UInt8]) -> [String] {
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
