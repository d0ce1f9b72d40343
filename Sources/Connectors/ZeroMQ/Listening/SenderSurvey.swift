import Pipeline

/// The messages received from a sender so far, and the guess at their format.
package struct SenderSurvey {
    private struct Sample {
        let message: ReceivedMessage
        let number: Int64
    }

    /// The largest number of messages that a guess is based on.
    static let sampleSize = 50

    /// The number of messages received.
    package private(set) var messages: Int64 = 0
    /// The guess at the format of the messages, or `nil` while no known format fits.
    package private(set) var guess: SenderGuess?

    private var table = SurveyedStreams()
    /// The streams of the messages that no source could read, whatever its options. When the guess changes, the table of all
    /// streams is rebuilt from these and from the samples.
    private var unreadable = SurveyedStreams()
    /// The number of failed messages that no source could read.
    private var damaged: Int64 = 0
    /// The first messages that a source may be able to read. Guesses are based on them.
    private var samples: [Sample] = []
    private var reading: SenderReading?

    private let kinds: [PayloadKind]

    /// Creates an empty survey.
    ///
    /// - Parameter kinds: The kinds of frames to consider.
    package init(among kinds: [PayloadKind] = PayloadKind.standard) { self.kinds = kinds }

    /// All streams, in the order of their first message; at most 1,000.
    package var streams: [Stream] { table.all }

    /// The number of messages of streams that are not in ``streams`` because of its limit.
    package var unfollowed: Int64 { table.unfollowed }

    /// The number of messages that could not be read according to the guess.
    package var failed: Int64 { streams.reduce(0) { $0 + $1.failed } }

    /// Returns the YAML of a pipeline that reads as many of the received messages as possible, or `nil` while no known format fits.
    package func suggestion(_ place: MessageListener.Place) -> String? {
        guard let guess else { return nil }
        func note(_ count: Int64, _ words: String) -> String {
            count > 0 ? "# \(count) of the \(messages) messages seen \(words).\n" : ""
        }
        return note(
            failed - damaged, "do not fit: a source reads messages of one shape; subscribe: selects topics")
            + note(damaged, "cannot be read by any source: listen without --suggest shows the last error")
            + guess.yaml(place)
    }

    /// What to change in the messages so that a source can read them; `nil` when nothing is known.
    package var remedy: String? {
        documents.lazy.compactMap(\.remedy).first
    }

    private var documents: [DocumentValue] { samples.compactMap { MessageCut([$0.message])?.documents.first } }

    /// Adds a message. Guesses again when the message does not fit the guess, and when the number of samples is a power of two.
    /// After ``sampleSize`` samples, the guess does not change any more.
    package mutating func take(_ message: ReceivedMessage) {
        messages += 1
        let isSampling = samples.count < Self.sampleSize
        let read = message.parts.count > 2 ? nil : reading.map { reading in Result { try reading.read(message) } }
        // A message that no source can read does not become a sample, because it says nothing about the other messages.
        if (try? read?.get()) == nil, let problem = message.problem {
            if !table.note(message, numbered: messages, .failure(problem)) { damaged += 1 }
            if isSampling { unreadable.note(message, numbered: messages, .failure(problem)) }
            return
        }
        let fits = table.note(message, numbered: messages, read)
        guard isSampling else { return }
        samples.append(Sample(message: message, number: messages))
        guard !fits || samples.count & (samples.count - 1) == 0 else { return }
        let better = betterGuess(for: message)
        if better == nil, guess?.breaksLists(in: documents) != true { return }
        guess = better
        reading = better.flatMap { SenderReading($0) }
        // The new guess changes which messages count as lost, and in which streams, so the table is rebuilt.
        table = unreadable
        for sample in samples {
            table.note(
                sample.message, numbered: sample.number,
                reading.map { reading in Result { try reading.read(sample.message) } })
        }
    }

    /// Returns the guess that reads the most samples. Guesses from all samples together. If they have several formats, also guesses
    /// from the samples that fit the current guess, and from the samples that are similar to the given message.
    private func betterGuess(for message: ReceivedMessage) -> SenderGuess? {
        let all = samples.map(\.message)
        let documents = documents
        var best: (guess: SenderGuess, count: Int)?
        func consider(_ guess: SenderGuess?) {
            guard let guess, !guess.breaksLists(in: documents) else { return }
            let fitting = Self.fitting(guess, all)
            if fitting.count > best?.count ?? 0 { best = (Self.withOwnNumber(guess, all), fitting.count) }
        }
        consider(SenderGuess(all, among: kinds))
        if best?.count == all.count { return best?.guess }
        if let guess { consider(SenderGuess(Self.fitting(guess, all), among: kinds)) }
        if let alone = SenderGuess([message], among: kinds) {
            consider(SenderGuess(Self.fitting(alone, all), among: kinds) ?? alone)
        }
        return best?.guess
    }

    /// Returns a guess without the path of the sequence number if messages of other formats share the counter, or else unchanged.
    private static func withOwnNumber(_ guess: SenderGuess, _ all: [ReceivedMessage]) -> SenderGuess {
        let readable = fitting(guess, all, orEmpty: true)
        guard readable.count < all.count, let path = guess.decode.seq.first,
            let own = MessageCut(readable)?.numbers(at: path), let first = own.min(), let last = own.max()
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

    /// Returns the messages that a guess can read and in which it finds content, the end of a stream or an announced number. With
    /// `orEmpty`, returns all messages that it can read.
    private static func fitting(
        _ guess: SenderGuess, _ messages: [ReceivedMessage], orEmpty: Bool = false
    ) -> [ReceivedMessage] {
        guard let reading = SenderReading(guess) else { return [] }
        return messages.filter { message in
            guard let read = try? reading.read(message) else { return false }
            return orEmpty || read.hasContent || read.endsStream || read.isQuiet
        }
    }

    /// Returns a description of a payload in a few lines.
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
