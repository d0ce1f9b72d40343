import Pipeline

extension SenderSurvey {
    /// The largest number of lines in which points are sought.
    private static let mostLines = 10_000

    /// Returns the YAML of a pipeline that reads a file of JSON Lines, as its first messages with points suggest. It has been tested
    /// with the whole file. Returns `nil` if no known format fits most of the messages, if the file is not JSON Lines, or if it cannot
    /// be read.
    ///
    /// - Parameter kinds: The kinds of frames to consider.
    /// - Complexity: O(*n*), where *n* is the number of bytes of the file.
    package static func suggestion(forFile path: String, among kinds: [PayloadKind]) -> String? {
        guard let lines = try? LineReader(opening: path),
            (try? FileFormat.format(.auto, path: path, lines)) == .jsonl
        else { return nil }
        var survey = SenderSurvey(among: kinds)
        var withoutPoints = 0
        while survey.messages < sampleSize, lines.lineNumber < mostLines, let line = try? lines.next() {
            guard let message = ReceivedMessage(line) else { continue }
            // A recording may begin with many messages in which nobody is seen. They say little about the format.
            if MessageCut([message])?.fullest == nil {
                withoutPoints += 1
                if withoutPoints > sampleSize / 2 { continue }
            }
            survey.take(message)
        }
        guard var guess = survey.guess, guess.decode.format == nil, guess.decode.topicDelimiter == nil else {
            return nil
        }
        // The frames of a ZeroMQ message have no meaning in a file.
        guess.decode.frames = nil
        var found = FileFit(guess, path)
        if found?.withContent == 0 {
            guess.decode.hz = 30
            found = FileFit(guess, path)
        }
        guard let found, found.withContent > 0, 2 * found.failed <= found.messages else { return nil }
        guard found.failed > 0 else { return guess.yaml(file: path) }
        let note = "\(found.failed) of the \(found.messages) messages do not fit, and are skipped"
        return "# \(note): a source reads messages of one shape.\n" + guess.yaml(file: path, skipsErrors: true)
    }

    /// Returns what to change in the messages of a file so that a source can read them, as its first messages suggest. Returns `nil`
    /// if nothing is known, or if the file cannot be read.
    package static func remedy(forFile path: String) -> String? {
        guard let lines = try? LineReader(opening: path) else { return nil }
        while lines.lineNumber < sampleSize, let line = try? lines.next() {
            guard let message = ReceivedMessage(line) else { continue }
            if let remedy = MessageCut([message])?.documents.first?.remedy { return remedy }
        }
        return nil
    }
}

/// How many messages of a file a source with the options of a guess can read.
private struct FileFit {
    private(set) var (messages, failed, withContent) = (0, 0, 0)

    init?(_ guess: SenderGuess, _ path: String) {
        guard let lines = try? LineReader(opening: path), let reading = SenderReading(guess, isFile: true) else {
            return nil
        }
        while let line = try? lines.next() {
            guard let message = ReceivedMessage(line) else { continue }
            messages += 1
            do {
                if try reading.read(message).hasContent { withContent += 1 }
            } catch {
                failed += 1
            }
        }
    }
}

extension ReceivedMessage {
    /// Creates a message from a line of a file. Returns `nil` for a blank line. A line that is too long becomes an empty message.
    fileprivate init?(_ line: LineReader.Line) {
        guard case .bytes(let bytes) = line else {
            self.init(parts: [[]], arrival: 0)
            return
        }
        guard !bytes.allSatisfy({ $0 == 0x20 || $0 == 0x09 }) else { return nil }
        self.init(parts: [Array(bytes)], arrival: 0)
    }
}
