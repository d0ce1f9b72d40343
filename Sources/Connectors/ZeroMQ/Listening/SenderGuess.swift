import Pipeline
import Stages

/// A guess at the kind and the format of a sender's messages, as options for a source that reads them.
package struct SenderGuess: Sendable {
    /// The kind of the frames.
    package var kind = PayloadKind.stroke
    /// The options for decoding the messages.
    package var decode = DecodeOptions()
    /// The traits of the landmarks.
    package var landmarks = LandmarkTraits()
    /// Whether some times repeat or go back within a stream, so that they must be clamped.
    package var clampsTimes = false
    /// Whether only the steps between the times suggest their unit, so that it may be wrong.
    var unitIsGuess = false

    /// Guesses the format from messages of one sender, in the order of their arrival. More messages result in a better guess.
    /// Returns `nil` when no known format fits.
    ///
    /// The guess has been tested: a source with these options can read all of the messages, and finds content in at least one of
    /// them.
    package init?(_ messages: [ReceivedMessage], among kinds: [PayloadKind] = PayloadKind.standard) {
        guard let cut = MessageCut(messages) else { return nil }
        if let guess = Self.canonical(cut, kinds) {
            self = guess
            return
        }
        for guess in [Self.preset(cut), Self.shape(cut), Self.text(cut)].compactMap({ $0 }) where guess.reads(cut) {
            self = guess
            clampsTimes = SenderOrder(guess, cut)?.timesIncrease == false
            return
        }
        return nil
    }

    /// Returns a guess for messages in the project's own format.
    private static func canonical(_ cut: MessageCut, _ kinds: [PayloadKind]) -> SenderGuess? {
        var guess = SenderGuess(cut)
        for kind in kinds {
            guess.kind = kind
            if case .object(let fields) = cut.documents.last, fields.contains(where: { $0.key == "kind" }) {
                guard cut.documents.last?["kind"]?.string == kind.name else { continue }
            }
            if guess.reads(cut) { return guess }
        }
        return nil
    }

    /// Returns a guess that uses one of the presets.
    private static func preset(_ cut: MessageCut) -> SenderGuess? {
        for (kind, presets) in [
            (PayloadKind.hands, [DecodePreset.mediapipe, .openpose, .flat63]),
            (.landmarks, [.mediapipe, .openpose, .pupil]),
        ] {
            for preset in presets {
                var guess = SenderGuess(cut)
                guess.kind = kind
                guess.decode.preset = preset
                let usual = preset.options(for: kind)
                if guess.decode.format == usual.format { guess.decode.format = nil }
                if usual.frames == .topicAndPayload, !cut.hasTopics { guess.decode.frames = .one }
                // A preset may have no path for the time, or another one than this sender uses.
                if usual.t.allSatisfy({ cut.numbers(at: $0).isEmpty }), let document = cut.fullest?.document {
                    guess.addEnvelope(document, cut)
                }
                if guess.reads(cut) { return guess }
            }
        }
        return nil
    }

    /// Returns a guess for points anywhere in a message.
    private static func shape(_ cut: MessageCut) -> SenderGuess? {
        guard let (document, candidates) = cut.fullest else { return nil }
        // A flat list is a stroke only if its length varies. A list that always has the same length may contain anything.
        for candidate in candidates where !candidate.isFlat || candidate.topology != nil || cut.varies(candidate) {
            var guess = SenderGuess(cut)
            guess.take(candidate, in: document, cut)
            guess.addEnvelope(document, cut)
            if guess.reads(cut) { return guess }
            // Tries again without the other fields of the message, whose meaning is only assumed.
            var plain = SenderGuess(cut)
            plain.take(candidate, in: document, cut)
            if plain.reads(cut) { return plain }
        }
        return nil
    }

    /// Returns a guess for rows of numbers.
    private static func text(_ cut: MessageCut) -> SenderGuess? {
        guard let format = cut.textFormat, let count = cut.cells.last?.count else { return nil }
        var guess = SenderGuess(cut)
        guess.decode.format = format.format
        guess.decode.delimiter = format.delimiter
        let offset = cut.cells.last.map { $0.prefix { Double($0) == nil }.count } ?? 0
        if offset == 1 { guess.decode.columns.stream = .number(1) }
        switch count - offset {
        case 63:
            guess.kind = .hands
            guess.decode.preset = .flat63
        case 42: guess.kind = .hands
        case 2, 3, 4:
            guess.kind = .points
            // The first number that increases with every message is taken to be the time.
            let time = (offset..<count).first { cut.grows(column: $0) && count - offset > 2 }
            let others = (offset..<count).filter { $0 != time }
            guess.decode.columns.x = .number(others[0] + 1)
            guess.decode.columns.y = .number(others[1] + 1)
            if let time {
                guess.decode.columns.t = .number(time + 1)
                guess.setUnit(named: "", cut.values(column: time), cut)
            }
            if others.count > 2 { guess.decode.columns.p = .number(others[2] + 1) }
        default: return nil
        }
        return guess
    }

    /// Creates a guess that contains only the format of the payloads and topics.
    private init(_ cut: MessageCut) {
        decode.format = cut.syntax == .messagePack ? .msgpack : nil
        decode.topicDelimiter = cut.topicDelimiter
    }

    /// Sets the kind and the paths of the points for a candidate.
    private mutating func take(_ candidate: PointCandidate, in document: DocumentValue, _ cut: MessageCut) {
        let path = try? FieldPath(candidate.path)
        decode.points = path.map { [$0] } ?? []
        let varies = cut.varies(candidate)
        // A hand's points have the names of its topology, or numbers. Any other points with names have a topology of their own.
        let names = candidate.count == Topology.hand21.points.count ? nil : candidate.names
        let known = varies || names != nil ? nil : candidate.topology
        let hasTimes = candidate.keys.contains { ["t", "time", "timestamp"].contains($0) }
        if known?.name == Topology.hand21.name {
            kind = .hands
        } else if candidate.isPoint {
            kind = .points
        } else if known != nil {
            kind = .landmarks
        } else if names == nil, hasTimes || varies || candidate.width == 2 || candidate.count > 64 {
            kind = .stroke
        } else {
            kind = .landmarks
            let points = (names ?? (0..<candidate.count).map { "p\($0)" }).joined(separator: ",")
            // The names come from the sender, so they must not be able to end the text that contains them.
            let isPlain = points.allSatisfy { $0.isLetter || $0.isNumber || "_-,".contains($0) }
            landmarks.topology = isPlain ? (try? Topology(identifier: "set(\(points))")).map(TopologyName.init) : nil
        }
        if hasTimes, kind == .stroke || kind == .points {
            let times = candidate.sets.first.map(Self.times) ?? []
            if let text = times.first?.string, ISOTime.microseconds(in: text.utf8) != nil {
                decode.sampleUnit = .iso8601
            } else {
                setUnit(named: "t", times.compactMap(\.number), cut)
            }
        }
        addFields(candidate, cut)
        addSides(document, candidate)
        addSetFields(document, candidate)
    }

    /// Sets the unit of the message's times.
    mutating func setUnit(named name: String, _ times: [Double], _ cut: MessageCut) {
        let (unit, isGuess) = cut.unit(named: name, times)
        (decode.tUnit, unitIsGuess) = (unit, isGuess)
    }

    /// Sets the meanings of a point's numbers if there are at least three.
    private mutating func addFields(_ candidate: PointCandidate, _ cut: MessageCut) {
        if candidate.isFlat, kind == .stroke {
            decode.fields = .xy
            return
        }
        guard candidate.width >= 3 else { return }
        let rows = Self.rows(candidate)
        guard let widest = rows.first?.count, widest >= 3 else { return }
        let third = rows.map { $0[2] }
        let isShare = third.allSatisfy { (0...1).contains($0) } && rows.contains { abs($0[0]) > 2 }
        if kind == .stroke || kind == .points {
            let grows = zip(third, third.dropFirst()).allSatisfy { $0 < $1 } && third.count > 1
            decode.fields = try? PointFields(grows ? "xyt" : isShare ? "xyp" : "xyz")
            if grows { setUnit(named: "", third, cut) }
        } else if candidate.width == 3, isShare {
            decode.fields = try? PointFields("xyc")
        }
    }

    /// Sets the paths of the left and the right hand when they are separate fields of a message.
    private mutating func addSides(_ document: DocumentValue, _ candidate: PointCandidate) {
        guard kind == .hands, let side = ["left", "right"].first(where: { candidate.path.lowercased().contains($0) })
        else {
            return
        }
        let all = PointCandidate.all(in: document).filter { $0.count == candidate.count }
        func paths(_ side: String) -> FieldPaths {
            all.first { $0.path.lowercased().contains(side) && !$0.path.lowercased().contains("world") }
                .flatMap { try? FieldPath($0.path) }.map { [$0] } ?? []
        }
        decode.left = side == "left" ? decode.points : paths("left")
        decode.right = side == "right" ? decode.points : paths("right")
        decode.points = []
    }

    /// Returns whether a key, in lower case, is a name that senders use for the confidences of points.
    private static func isConfidence(_ key: String) -> Bool {
        ["conf", "score", "visibilit", "likelihood"].contains { key.contains($0) }
    }

    /// Sets the paths of the fields that accompany each set of points: world coordinates, confidences, handedness, score and track.
    private mutating func addSetFields(_ document: DocumentValue, _ candidate: PointCandidate) {
        guard kind == .hands || kind == .landmarks, !decode.points.isEmpty, candidate.names == nil else { return }
        let all = PointCandidate.all(in: document)
        if let world = all.first(where: { $0.name.contains("world") && $0.count == candidate.count }) {
            decode.world = (try? FieldPath(world.path)).map { [$0] } ?? []
        }
        guard let end = candidate.path.lastIndex(of: ".") else { return }
        let parent = String(candidate.path[..<end])
        guard let place = try? FieldPath(parent), case .object(let fields) = document[place] else { return }
        for field in fields {
            guard let path = try? FieldPath("\(parent).\(field.key)") else { continue }
            switch (field.key.lowercased(), field.value) {
            case ("handedness", .string), ("hand", .string), ("side", .string), ("label", .string):
                if ["left", "right"].contains(field.value.string?.lowercased()) { decode.handedness = [path] }
            case ("score", .number), ("confidence", .number): decode.score = [path]
            case (let key, .array) where Self.isConfidence(key):
                // A confidence for each point, next to the points.
                if field.value.numbers?.count == candidate.count { decode.confidences = [path] }
            case ("id", .number), ("track", .number), ("track_id", .number): decode.track = [path]
            default: break
            }
        }
    }

    /// Returns whether the lists of numbers that this guess takes for points have different lengths in these documents, and at least
    /// a quarter of them cannot be divided into points. They are then lists of something else.
    func breaksLists(in documents: [DocumentValue]) -> Bool {
        guard kind == .stroke || kind == .points, let path = decode.points.first else { return false }
        let lengths = documents.compactMap { $0[path]?.numbers?.count }
        let width = decode.fields?.slots.count ?? 2
        return Set(lengths).count > 1 && 4 * lengths.count { $0 % width != 0 } >= lengths.count
    }

    /// Returns the numbers of the points in the first set, one row per point.
    private static func rows(_ candidate: PointCandidate) -> [[Double]] {
        guard case .array(let elements) = candidate.sets.first else { return [] }
        if let numbers = candidate.sets.first?.numbers {
            return stride(from: 0, to: numbers.count - numbers.count % candidate.width, by: candidate.width)
                .map { Array(numbers[$0..<($0 + candidate.width)]) }
        }
        return elements.compactMap(\.numbers)
    }

    private static func times(of set: DocumentValue) -> [DocumentValue] {
        func times(_ value: DocumentValue) -> DocumentValue? { value["t"] ?? value["time"] ?? value["timestamp"] }
        switch (set, times(set)) {
        case (.array(let elements), _): return elements.compactMap(times)
        case (_, .array(let column)): return column
        case (_, let time): return time.map { [$0] } ?? []
        }
    }

    /// Returns whether a source with these options can read all of the messages, and finds content in at least one of them.
    private func reads(_ cut: MessageCut) -> Bool {
        var hasContent = false
        let read = SenderReading(self)
        for message in cut.messages {
            guard let summary = try? read?.read(message) else { return false }
            hasContent = hasContent || summary.hasContent
        }
        return hasContent
    }
}
