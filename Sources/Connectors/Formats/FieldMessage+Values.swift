import Pipeline

extension FieldMessage {
    /// Reads the current value as what is looked for where it stands.
    mutating func take<Reader: DocumentReader>(
        _ target: FieldTree.Target, _ type: DocumentType, key: Int, outer: Int, _ document: Reader
    ) throws(PipelineError) {
        guard begins(target) else { return }
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
        // Below [*] it is that of a set.
        case .label where key > 0: sets[try set(key, .points)].label = try text(target.field, type, document)
        case .label: label = try text(target.field, type, document)
        case .layout: sets[try set(key, .points)].layout = try layout(document)
        case .topology: sets[try set(key, .points)].topology = try text(target.field, type, document)
        case .space: sets[try set(key, .points)].space = try text(target.field, type, document)
        case .doubt: sets[try set(key, .points)].doubt = try text(target.field, type, document)
        case .start: start = try microseconds(type, sampleUnit, document)
        case .endTime: endTime = try microseconds(type, sampleUnit, document)
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

    /// The number of a message.
    private func messageNumber<Reader: DocumentReader>(_ document: Reader) throws(PipelineError) -> Int64 {
        let place = document.offset
        let number = try document.integer()
        guard (0...Timestamp.max.rawValue).contains(number) else {
            throw .frame("decode.range", "a number lies between 0 and 2^53 − 1", location: "byte \(place)")
        }
        return number
    }

    /// A text, or a whole number as its text.
    private mutating func text<Reader: DocumentReader>(
        _ field: MessageField, _ type: DocumentType, _ document: Reader
    ) throws(PipelineError) -> String {
        guard type != .number || [.topology, .space, .doubt].contains(field) else {
            return String(try document.integer())
        }
        try document.string(into: &texts[Int(field.rawValue)])
        return texts[Int(field.rawValue)]
    }

    /// A hand as MediaPipe spells it; other words as they stand.
    private static func side(_ text: String) -> String {
        if text == "Left" || text == "Right" { return text }
        return switch text.lowercased() {
        case "left", "l": "Left"
        case "right", "r": "Right"
        default: text
        }
    }

    private func microseconds<Reader: DocumentReader>(
        _ type: DocumentType, _ unit: TimeUnit?, _ document: Reader
    ) throws(PipelineError) -> Int64 {
        let place = document.offset
        let unit = unit ?? .s
        do {
            if type == .string { return try unit.time(in: try document.stringBytes()) }
            return try Self.time(try document.number() * unit.microseconds, place: nil)
        } catch {
            var error = error
            error.location = error.location ?? "byte \(place)"
            throw error
        }
    }

    /// The letters that say what the numbers of a point are: mostly those of the message before.
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

    /// A time out of microseconds, which stand at a place, in bytes.
    static func time(_ microseconds: Double, place: Int?) throws(PipelineError) -> Int64 {
        let rounded = microseconds.rounded()
        guard rounded >= 0, rounded <= longestTime else { throw timeOutOfRange(place: place) }
        return Int64(rounded)
    }

    /// The last microsecond that a timestamp can tell.
    static var longestTime: Double { 9_007_199_254_740_991 }

    static func timeOutOfRange(place: Int?) -> PipelineError {
        .frame(
            "decode.range", "a time lies between 0 and 2^53 − 1 µs", location: place.map { "byte \($0)" },
            help: "t_unit says what unit times are in")
    }
}
