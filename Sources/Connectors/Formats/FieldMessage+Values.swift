import Pipeline

extension FieldMessage {
    /// Reads the current value into the field of a target. The value is ignored if the field already has a value from a more
    /// preferred path.
    ///
    /// - Parameters:
    ///   - target: The field that the path of the value leads to.
    ///   - type: The type of the value.
    ///   - key: The key of the set that the value belongs to.
    ///   - outer: The key of the set one `[*]` further out.
    mutating func take<Reader: DocumentReader>(
        _ target: FieldTree.Target, _ type: DocumentType, key: Int, outer: Int, _ document: Reader
    ) throws(PipelineError) {
        guard accept(target) else { return }
        switch target.field {
        case .points, .left, .right, .world, .leftWorld, .rightWorld:
            try takePoints(target.field, type, key: key, outer: outer, document)
        case .confidences: try takeConfidences(type, try set(key, .points), document)
        case .handedness: sets[try set(key, .points)].handedness = Self.side(try text(target.field, type, document))
        case .handednessScore: sets[try set(key, .points)].handednessScore = try document.number()
        case .score: sets[try set(key, .points)].score = try document.number()
        case .presence: sets[try set(key, .points)].presence = try document.number()
        case .track: sets[try set(key, .points)].track = Int(try document.integer())
        case .time: time = try microseconds(type, timeUnit, document)
        case .sequence: sequence = try messageNumber(document)
        case .stream: stream = try text(target.field, type, document)
        // A label below `[*]` belongs to one set of landmarks. A stroke or a vector has one label.
        case .label where key > 0 && !isOfSamples && !isOfValues:
            sets[try set(key, .points)].label = try text(target.field, type, document)
        case .label: label = try text(target.field, type, document)
        case .layout: sets[try set(key, .points)].layout = try layout(document)
        case .topology: sets[try set(key, .points)].topology = try text(target.field, type, document)
        case .space: sets[try set(key, .points)].space = try text(target.field, type, document)
        case .doubt: sets[try set(key, .points)].doubt = try text(target.field, type, document)
        case .start: start = try microseconds(type, spanUnit(type), document)
        case .endTime: endTime = try microseconds(type, spanUnit(type), document)
        case .counts:
            var numbers: [Double] = []
            try document.numbers(into: &numbers)
            counts = numbers
        case .subject: subject = try text(target.field, type, document)
        case .phase: phase = try text(target.field, type, document)
        case .stroke: stroke = Int(try document.integer())
        case .values:
            var numbers: [Double] = []
            try document.numbers(into: &numbers)
            values = numbers
        case .end: isEnd = try document.boolean()
        case .declared: try wire.declared.read(target.index, document)
        }
    }

    /// Gives each set the values that it does not have itself, from its element of `[*]` or else from the elements that contain that
    /// one. A value outside of every `[*]` thus belongs to all sets. The exception is `track`, which identifies one set: only a set
    /// that is alone gets it. O(sets²).
    mutating func inheritValues() {
        let isAlone = (0..<setCount).count { isDetected($0) } == 1
        for index in 0..<setCount {
            var key = sets[index].key
            if sets[index].field != .points { inheritValues(of: key, into: index, isAlone: isAlone) }
            while key > 0 {
                key = (key &- 1) >> 16
                inheritValues(of: key, into: index, isAlone: isAlone)
            }
        }
    }

    private mutating func inheritValues(of key: Int, into set: Int, isAlone: Bool) {
        for index in 0..<setCount where sets[index].key == key && sets[index].field == .points {
            if isAlone { sets[set].track = sets[set].track ?? sets[index].track }
            return sets[set].inherit(from: sets[index])
        }
    }

    /// Reads a sequence number.
    private func messageNumber<Reader: DocumentReader>(_ document: Reader) throws(PipelineError) -> Int64 {
        let place = document.offset
        let number = try document.integer()
        guard (0...Timestamp.max.rawValue).contains(number) else {
            throw .frame("decode.range", "a number lies between 0 and 2^53 − 1", location: "byte \(place)")
        }
        return number
    }

    /// Reads a string. A whole number is also accepted and becomes its text, except for the topology, the space and the doubt.
    private mutating func text<Reader: DocumentReader>(
        _ field: MessageField, _ type: DocumentType, _ document: Reader
    ) throws(PipelineError) -> String {
        guard type != .number || [.topology, .space, .doubt].contains(field) else {
            return String(try document.integer())
        }
        try document.string(into: &texts[Int(field.rawValue)])
        return texts[Int(field.rawValue)]
    }

    /// Returns a handedness in MediaPipe's spelling. Unknown words are returned unchanged.
    static func side(_ text: String) -> String {
        if text == "Left" || text == "Right" { return text }
        return switch text.lowercased() {
        case "left", "l": "Left"
        case "right", "r": "Right"
        default: text
        }
    }

    /// Returns the unit of a start or an end. If the message's times are texts, these may be texts too, also if the points have
    /// times that are numbers.
    private func spanUnit(_ type: DocumentType) -> TimeUnit? {
        type == .string && timeUnit == .iso8601 ? timeUnit : sampleUnit
    }

    private func microseconds<Reader: DocumentReader>(
        _ type: DocumentType, _ unit: TimeUnit?, _ document: Reader
    ) throws(PipelineError) -> Int64 {
        let place = document.offset
        let unit = unit ?? .s
        do throws(PipelineError) {
            if type == .string { return try unit.time(in: try document.stringBytes()) }
            guard let scale = unit.microseconds else {
                throw .frame(
                    "decode.type", "expected a time as in 2026-11-23T13:06:38.250Z, found \(type.described)",
                    help: "iso8601 is for texts; the unit of times that are numbers is s, ms, us or ns")
            }
            return try Self.time(try document.number() * scale, place: nil)
        } catch {
            var error = error
            error.location = error.location ?? "byte \(place)"
            throw error
        }
    }

    /// Reads the letters that declare the meaning of a point's numbers. The last letters are cached, because they rarely change
    /// between messages.
    private mutating func layout<Reader: DocumentReader>(_ document: Reader) throws(PipelineError) -> PointFields {
        let place = document.offset
        let letters = try document.stringBytes()
        if lastLayout?.letters.isSame(as: letters) == true, let fields = lastLayout?.fields { return fields }
        let text = String(decoding: letters, as: UTF8.self)
        do {
            let fields = try PointFields(text)
            lastLayout = (text, fields)
            return fields
        } catch {
            throw .frame(error.code, error.message, location: "byte \(place)")
        }
    }

    /// Returns a time rounded to whole microseconds.
    ///
    /// - Parameters:
    ///   - microseconds: The time in microseconds.
    ///   - place: The byte offset of the time, for errors.
    /// - Throws: A frame error (`decode.range`) if a timestamp cannot represent the time.
    static func time(_ microseconds: Double, place: Int?) throws(PipelineError) -> Int64 {
        let rounded = microseconds.rounded()
        guard rounded >= 0, rounded <= longestTime else { throw timeOutOfRange(place: place) }
        return Int64(rounded)
    }

    /// The largest timestamp, in microseconds.
    static var longestTime: Double { 9_007_199_254_740_991 }

    static func timeOutOfRange(place: Int?) -> PipelineError {
        .frame(
            "decode.range", "a time lies between 0 and 2^53 − 1 µs", location: place.map { "byte \($0)" },
            help: "t_unit sets the unit of times")
    }
}
