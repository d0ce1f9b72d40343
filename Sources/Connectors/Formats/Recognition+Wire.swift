import Pipeline
import Stages

extension Recognition: WirePayload {
    public static let summary = "What a matcher found"
    public static let _wireKeys = WireKeys(
        .categories, .margin, .confidence, .matcher, .startUs, .endUs, .label, .subject)
    public static let _requiredKeys = WireKeys(.categories)

    public init(_ message: inout WireMessage) throws(PipelineError) {
        try message.require(.categories)
        self.init(
            categories: message.categories.isEmpty ? [.none] : message.categories,
            margin: message.value(.margin, message.margin) ?? 0,
            matcher: message.value(.matcher, message.matcher) ?? "",
            start: message.extent(.startUs, message.start), end: message.extent(.endUs, message.end),
            label: message.value(.label, message.label), subject: try message.madeFrom(),
            confidence: message.value(.confidence, message.confidence))
    }

    public func _encode(into json: inout TextBuffer) {
        json.categories(categories)
        json.member(",\"margin\":", margin)
        json.member(",\"confidence\":", confidence)
        json.member(",\"matcher\":", matcher)
        json.extent(start, end, label, subject)
    }

    public static let _columns = "name,score,margin,matcher,start_us,end_us,label,confidence"

    public func _encodeRows(_ prefix: TextBuffer, into csv: inout TextBuffer) {
        csv.row(prefix) {
            $0.column(best.name)
            $0.column(best.score)
            $0.column(margin)
            $0.column(matcher)
            $0.column(start)
            $0.column(end)
            $0.column(label)
            $0.column(confidence)
        }
    }

    public func _summarize(into text: inout TextBuffer) {
        text.aligned(best.displayName, width: 24)
        text.byte(0x20)
        text.fixed(best.score, decimals: 3)
        if let label {
            let isNone = best.name == Recognition.Category.none.name
            text.plain(
                label == best.name
                    ? "  ✓" : isNone ? "  – like nothing in the library (\(label.shown))" : "  ✗ was \(label.shown)")
        }
    }
}

extension FeatureVector: WirePayload {
    public static let summary = "The numbers that a matcher compares"
    public static let _wireKeys = WireKeys(.values, .startUs, .endUs, .label, .subject)
    public static let _requiredKeys = WireKeys(.values)

    public init(_ message: inout WireMessage) throws(PipelineError) {
        try message.require(.values)
        self.init(
            values: message.values, start: message.extent(.startUs, message.start),
            end: message.extent(.endUs, message.end),
            label: message.value(.label, message.label), subject: try message.madeFrom())
    }

    public func _encode(into json: inout TextBuffer) {
        json.literal(",\"values\":[")
        json.numbers(values)
        json.byte(UInt8(ascii: "]"))
        json.extent(start, end, label, subject)
    }

    public static let _columns = "start_us,end_us,label,values"

    public func _encodeRows(_ prefix: TextBuffer, into csv: inout TextBuffer) {
        csv.row(prefix) { row in
            row.column(start)
            row.column(end)
            row.column(label)
            for value in values { row.column(value) }
        }
    }

    public func _summarize(into text: inout TextBuffer) {
        text.plain(values.count == 1 ? "1 number" : "\(values.count) numbers")
        if let label { text.plain(", \(label.shown)") }
    }
}

extension WireMessage {
    /// What something was made from, if the message says so.
    func madeFrom() throws(PipelineError) -> Subject? {
        guard present.contains(.subject) else { return nil }
        guard let subject else { throw wrong(.subject, "decode.type", "expected an object, found a string") }
        return subject
    }

    /// When what is described began or ended; the message's own time when it does not say.
    func extent(_ key: WireKey, _ time: Int64) -> Timestamp {
        Timestamp(rawValue: value(key, time) ?? value(.tUs, self.time) ?? 0)
    }
}

extension TextBuffer {
    /// Writes categories under their key, with a comma in front.
    mutating func categories(_ categories: [Recognition.Category]) {
        literal(",\"categories\":[")
        for (i, category) in categories.enumerated() {
            if i > 0 { byte(UInt8(ascii: ",")) }
            literal("{\"name\":")
            quoted(category.name)
            literal(",\"display_name\":")
            quoted(category.displayName)
            literal(",\"index\":")
            integer(Int64(category.index))
            literal(",\"score\":")
            number(category.score)
            byte(UInt8(ascii: "}"))
        }
        byte(UInt8(ascii: "]"))
    }

    /// Writes when something began and ended, what it is meant to be and what it was made from.
    mutating func extent(_ start: Timestamp, _ end: Timestamp, _ label: String?, _ subject: Subject?) {
        member(",\"start_us\":", start)
        member(",\"end_us\":", end)
        member(",\"label\":", label)
        switch subject {
        case .stroke(let stroke):
            literal(",\"subject\":{\"kind\":\"stroke\"")
            stroke._encode(into: &self)
            byte(UInt8(ascii: "}"))
        case .landmarks(let landmarks):
            literal(",\"subject\":{\"kind\":\"landmarks\"")
            landmarks._encode(into: &self)
            byte(UInt8(ascii: "}"))
        case nil: break
        }
    }

    /// Writes a number with a fixed count of decimals, rounded half away from zero.
    mutating func fixed(_ number: Double, decimals: Int) {
        guard number.isFinite, abs(number) < 1e12 else { return self.number(number) }
        let scale = (0..<decimals).reduce(1.0) { scale, _ in scale * 10 }
        let scaled = (number * scale).rounded()
        if scaled < 0 { byte(UInt8(ascii: "-")) }
        let digits = String(UInt64(scaled.magnitude))
        let padded = String(repeating: "0", count: max(0, decimals + 1 - digits.count)) + digits
        plain(String(padded.dropLast(decimals)))
        if decimals > 0 {
            byte(UInt8(ascii: "."))
            plain(String(padded.suffix(decimals)))
        }
    }
}
