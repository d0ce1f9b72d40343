import Pipeline

extension SenderGuess {
    /// Sets the paths of the fields that accompany the points: time, sequence number, stream, label, phase and score. Searches the
    /// top level of a message and the objects directly below it.
    mutating func addEnvelope(_ document: DocumentValue, _ cut: MessageCut) {
        let pointPaths = Set(decode.paths.flatMap { $0.paths.map(\.description) })
        var (counters, names): ([FieldPath], [FieldPath]) = ([], [])
        let scalars = MessageCut.scalars(of: document)
        // A key that only names a unit may be a duration, so any other name of a time is preferred.
        let ordered = scalars.filter { !TimeUnit.namesUnit($0.name) } + scalars.filter { TimeUnit.namesUnit($0.name) }
        for (path, name, value) in ordered where !pointPaths.contains(path) {
            guard let path = try? FieldPath(path) else { continue }
            if Self.isName(name, value) { names.append(path) }
            switch (name, value) {
            case (_, .number) where decode.t.isEmpty && TimeUnit.namesTime(name):
                decode.t = [path]
                setUnit(named: name, cut.numbers(at: path), cut)
            case (_, .string(let text))
            where decode.t.isEmpty && TimeUnit.namesTime(name) && ISOTime.microseconds(in: text.utf8) != nil:
                (decode.t, decode.tUnit, decode.sampleUnit, unitIsGuess) = ([path], .iso8601, nil, false)
            case (_, .number) where MessageCut.isNumber(name): counters.append(path)
            case ("stream", .string), ("device", .string), ("camera", .string), ("source", .string),
                ("sensor", .string):
                if decode.stream.isEmpty, !cut.hasTopics { decode.stream = [path] }
            case ("label", .string), ("class", .string), ("gesture", .string):
                if kind != .points, decode.label.isEmpty { decode.label = [path] }
            case ("type", .string), ("event", .string), ("phase", .string), ("state", .string):
                if kind == .points, decode.phase.isEmpty { decode.phase = [path] }
            case ("score", .number), ("confidence", .number):
                if kind == .landmarks, decode.score.isEmpty { decode.score = [path] }
            default: break
            }
        }
        settle(counters, cut.hasTopics || !decode.stream.isEmpty ? [] : names, cut)
    }

    /// Returns whether the value of a key may be the name of the message's stream.
    private static func isName(_ name: String, _ value: DocumentValue) -> Bool {
        switch value {
        case .string: true
        case .number(let number): number == number.rounded() && !TimeUnit.namesTime(name) && !MessageCut.isNumber(name)
        default: false
        }
    }

    /// Sets the path of the sequence number, if a counter increases by one from message to message. Also sets the path of the
    /// stream's name, if times or counters increase only among messages with the same name. Without that path, a source would drop
    /// messages or count them as lost.
    private mutating func settle(_ counters: [FieldPath], _ names: [FieldPath], _ cut: MessageCut) {
        guard let order = takeNumber(counters, cut), !order.timesIncrease || (decode.seq.isEmpty && !counters.isEmpty)
        else {
            return
        }
        for name in names {
            var guess = self
            (guess.decode.stream, guess.decode.seq) = ([name], [])
            if guess.decode.label == [name] { guess.decode.label = [] }
            if guess.decode.phase == [name] { guess.decode.phase = [] }
            // Ignores a name that differs in nearly every message, because it does not name a stream.
            guard let better = guess.takeNumber(counters, cut), 2 * better.streams <= cut.messages.count,
                better.streams > 1, better.timesIncrease, !order.timesIncrease || !guess.decode.seq.isEmpty
            else { continue }
            self = guess
            return
        }
    }

    /// Sets the path of the first counter that increases like a sequence number, if there is one.
    ///
    /// - Returns: The order of the messages, or `nil` when this guess cannot read all of them.
    private mutating func takeNumber(_ counters: [FieldPath], _ cut: MessageCut) -> SenderOrder? {
        for counter in counters {
            var guess = self
            guess.decode.seq = [counter]
            guard let order = SenderOrder(guess, cut), order.sequenceIncreases else { continue }
            self = guess
            return order
        }
        return SenderOrder(self, cut)
    }
}
