import Pipeline
import Stages

extension FieldMessage {
    /// Returns all points as samples, with the fields that every point has, and the start time if the points have times.
    fileprivate mutating func samples() throws(PipelineError) -> (
        samples: [Sample], counts: [Int], fields: SampleFields, start: Int64?
    ) {
        var (counts, fields, first): ([Int], SampleFields, Double?) = ([], [.time, .pressure], nil)
        var total = 0
        for index in 0..<setCount where sets[index].isThere && sets[index].seen.count > 0 {
            if !sets[index].seen.layout.contains(.t) { fields.remove(.time) }
            if !sets[index].seen.layout.contains(.p) { fields.remove(.pressure) }
            if setCount > 1 || self.counts != nil { counts.append(sets[index].seen.count) }
            first = first ?? sets[index].seen.firstTime
            total += sets[index].seen.count
        }
        guard var first else { return ([], [], [], nil) }
        if let told = self.counts, counts.count == 1 { counts = try Self.counts(told, of: counts[0]) }
        guard fields.contains(.time) else {
            return (samples(from: 0, scale: 0), counts, fields, timesAreRelative ? self.start : nil)
        }
        let areTexts = textTimes >= total
        guard let scale = areTexts ? 1 : sampleUnit?.microseconds else {
            throw .frame(
                "decode.time_unit", "points have times, but their unit is missing",
                help: "add \(sampleUnit == .iso8601 ? "sample_unit" : "t_unit"): s, ms, us or ns")
        }
        // Times are relative to a start time in the message, or to the first sample. Texts are no relative times.
        let areRelative = timesAreRelative && !areTexts
        let start = areRelative ? self.start : try FieldMessage.time(first * scale, place: nil)
        if areRelative { first = 0 }
        let samples = samples(from: first, scale: scale)
        guard samples.allSatisfy({ abs($0.t) <= Self.longestTime }) else { throw Self.timeOutOfRange(place: nil) }
        return (samples, counts, fields, start)
    }

    /// Returns the points of all sets as samples.
    ///
    /// - Parameters:
    ///   - begin: The time to subtract from the times of the points.
    ///   - scale: The unit of the times in microseconds; 0 if the points have no times.
    private mutating func samples(from begin: Double, scale: Double) -> [Sample] {
        var samples: [Sample] = []
        for index in 0..<setCount where sets[index].isThere {
            let seen = sets[index].seen
            let points = reusedSamples.samples(from: seen.numbers, seen.layout, begin: begin, scale: scale)
            if samples.isEmpty { samples = points } else { samples += points }
        }
        return samples
    }

    /// Returns the number of samples of each stroke, checked against the total number.
    private static func counts(_ told: [Double], of total: Int) throws(PipelineError) -> [Int] {
        let counts = told.compactMap { Int(exactly: $0) }.filter { (0...total).contains($0) }
        guard counts.count == told.count, counts.reduce(0, { $0.addingSaturated($1) }) == total else {
            throw .frame("decode.count", "the counts do not sum to \(total), the number of points")
        }
        return counts
    }

    /// Returns the start time of the samples: `own` if the message gives a start time. Otherwise, if the message has a time, the
    /// samples end at that time. If it has neither, the start is `own`, or 0.
    ///
    /// - Parameter own: The start time in the message, or else the time of the first sample; `nil` if there is neither.
    fileprivate mutating func start(_ samples: [Sample], _ own: Int64?) -> Timestamp {
        if timesAreRelative, let own { return Timestamp(rawValue: own) }
        guard let time else { return Timestamp(rawValue: own ?? 0) }
        let length = own == nil && !timesAreRelative ? 0 : samples.last?.t ?? 0
        return max(.zero, Timestamp(rawValue: time).advanced(byMilliseconds: -length / 1000))
    }
}

extension Stroke {
    public static var _mapping: (@Sendable (inout FieldMessage) throws(PipelineError) -> Stroke?)? {
        { message throws(PipelineError) in try Stroke(&message) }
    }

    fileprivate init?(_ message: inout FieldMessage) throws(PipelineError) {
        let (samples, counts, fields, start) = try message.samples()
        guard !samples.isEmpty else { return nil }
        self.init(
            samples: samples, counts: counts.count > 1 || message.counts != nil ? counts : [],
            start: message.start(samples, start),
            fields: fields, label: message.label, subject: message.subject)
    }

    public var _ownTime: Timestamp? { fields.contains(.time) ? end : nil }
}

extension Points {
    public static var _mapping: (@Sendable (inout FieldMessage) throws(PipelineError) -> Points?)? {
        { message throws(PipelineError) in try Points(&message) }
    }

    fileprivate init?(_ message: inout FieldMessage) throws(PipelineError) {
        let (samples, _, fields, start) = try message.samples()
        let phase = try Self.phase(message.phase)
        guard !samples.isEmpty || phase.isLast else { return nil }
        self.init(
            phase: phase, stroke: message.stroke ?? 0, samples: samples, start: message.start(samples, start),
            fields: fields)
    }

    public var _ownTime: Timestamp? {
        guard fields.contains(.time), let last = samples.last else { return nil }
        return start.advanced(byMilliseconds: last.t / 1000)
    }

    /// Returns the phase for a sender's word, for example `touchstart`. Returns `move` if the message has no phase.
    static func phase(_ word: String?) throws(PipelineError) -> Phase {
        guard let word else { return .move }
        switch word.lowercased().split(whereSeparator: { $0 == "_" || $0 == "-" }).last.map(String.init) ?? "" {
        case "begin", "began", "down", "start", "touchstart", "mousedown", "pointerdown", "press", "pendown":
            return .begin
        case "move", "moved", "touchmove", "mousemove", "pointermove", "drag", "update": return .move
        case "end", "ended", "up", "touchend", "mouseup", "pointerup", "release", "penup": return .end
        case "cancel", "cancelled", "canceled", "touchcancel", "pointercancel": return .cancel
        default:
            throw .frame(
                "decode.phase", "\"\(word)\" is not a phase",
                help: "the phases are begin, move, end and cancel, down and up, and the names of events")
        }
    }
}

extension Points.Phase {
    /// Whether the piece is the last one of its stroke.
    var isLast: Bool { self == .end || self == .cancel }
}

extension FeatureVector {
    public static var _mapping: (@Sendable (inout FieldMessage) throws(PipelineError) -> FeatureVector?)? {
        { message throws(PipelineError) in try FeatureVector(&message) }
    }

    fileprivate init?(_ message: inout FieldMessage) throws(PipelineError) {
        guard let values = message.values else { return nil }
        let time = message.time ?? 0
        self.init(
            values: values, start: Timestamp(rawValue: message.start ?? time),
            end: Timestamp(rawValue: message.endTime ?? time), label: message.label)
    }
}
