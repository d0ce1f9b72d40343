import Pipeline
import Stages

extension Recognition: WirePayload {
    public static let summary = "The result of a matcher"
    public static var _blank: Recognition { Recognition(categories: [], margin: 0, matcher: "") }

    public static func _visit<V: FieldVisitor<Recognition>>(_ fields: inout V) throws(V.Failure) {
        try fields.visit(
            WireKeys(.categories, .margin, .confidence, .matcher), required: WireKeys(.categories),
            write: { found, json in
                json.categories(found.pointee.categories)
                json.member(.margin, found.pointee.margin)
                json.member(.confidence, found.pointee.confidence)
                json.member(.matcher, found.pointee.matcher)
            },
            read: { found, message throws(PipelineError) in
                try message.require(.categories)
                found.categories = message.categories.isEmpty ? [.none] : message.categories
                found.margin = message.value(.margin, message.margin) ?? 0
                found.confidence = message.value(.confidence, message.confidence)
                found.matcher = message.value(.matcher, message.matcher) ?? ""
            })
        try fields.extent()
    }

    public static func _write(rowsOf found: Recognition?, _ prefix: TextBuffer, into csv: inout TextBuffer) {
        let best = found?.best
        csv.row(prefix) {
            $0.column("name", best?.name)
            $0.column("score", best?.score)
            $0.column("margin", found?.margin)
            $0.column("matcher", found?.matcher)
            $0.column("start_us", found?.start)
            $0.column("end_us", found?.end)
            $0.column("label", found?.label)
            $0.column("confidence", found?.confidence)
        }
    }

    public func _summarize(into text: inout TextBuffer) {
        text.aligned(best.displayName, width: 24)
        text.byte(0x20)
        text.fixed(best.score, decimals: 3)
        guard let label else { return }
        let isNone = best.name == Recognition.Category.none.name
        if label == best.name || isNone && label == "none" { return text.plain("  ✓") }
        // The canned gestures of a hand have no library.
        let none = matcher == "canned" ? "not recognized" : "like nothing in the library"
        text.plain(isNone ? "  – \(none) (\(label.shown))" : "  ✗ was \(label.shown)")
    }
}

extension FeatureVector: WirePayload {
    public static let summary = "The numbers that a matcher compares"
    public static var _blank: FeatureVector { FeatureVector(values: []) }

    public static func _visit<V: FieldVisitor<FeatureVector>>(_ fields: inout V) throws(V.Failure) {
        try fields.visit(
            WireKeys(.values), required: WireKeys(.values),
            write: { vector, json in json.list(.values) { $0.numbers(vector.pointee.values) } },
            read: { vector, message throws(PipelineError) in
                try message.require(.values)
                vector.values = message.values
            })
        try fields.extent()
    }

    public static func _write(rowsOf vector: FeatureVector?, _ prefix: TextBuffer, into csv: inout TextBuffer) {
        csv.row(prefix) {
            $0.column("start_us", vector?.start)
            $0.column("end_us", vector?.end)
            $0.column("label", vector?.label)
            $0.columns("values", vector?.values)
        }
    }

    public func _summarize(into text: inout TextBuffer) {
        text.plain(values.count == 1 ? "1 number" : "\(values.count) numbers")
        if let label { text.plain(", \(label.shown)") }
    }
}

/// A payload that was computed from a part of a stream with a beginning and an end, such as a stroke.
protocol ExtendedPayload {
    /// The beginning and the end of that part.
    var start: Timestamp { get set }
    var end: Timestamp { get set }
    /// The intended gesture.
    var label: String? { get set }
    /// The payload that it was computed from.
    var subject: Subject? { get set }
}

extension Bitmap: ExtendedPayload {}
extension FeatureVector: ExtendedPayload {}
extension Recognition: ExtendedPayload {}

extension FieldVisitor where Root: ExtendedPayload {
    /// Visits the fields that every ``ExtendedPayload`` has.
    @inline(__always)
    mutating func extent() throws(Failure) {
        try visit(
            .startUs, { $1.member(.startUs, $0.pointee.start) },
            { root, message throws(PipelineError) in root.start = try message.extent(.startUs, message.start) })
        try visit(
            .endUs, { $1.member(.endUs, $0.pointee.end) },
            { root, message throws(PipelineError) in root.end = try message.extent(.endUs, message.end) })
        try visit(.label, { $1.member(.label, $0.pointee.label) }, { $0.label = $1.value(.label, $1.label) })
        try visit(
            .subject, { $1.subject($0.pointee.subject) },
            { root, message throws(PipelineError) in root.subject = try message.madeFrom() })
    }
}

extension WireMessage {
    /// Returns the payload from which the payload of the message was computed, if the message contains it.
    fileprivate mutating func madeFrom() throws(PipelineError) -> Subject? {
        guard present.contains(.subject) else { return nil }
        guard let subject else { throw wrong(.subject, "decode.type", "expected an object, found a string") }
        return subject
    }

    /// Returns the time of a beginning or an end, which the message has under `key`. If the message does not have the key, returns
    /// the time of the message.
    mutating func extent(_ key: WireKey, _ time: Int64) throws(PipelineError) -> Timestamp {
        guard present.contains(key) else { return Timestamp(rawValue: value(.tUs, self.time) ?? 0) }
        return try valid(key, time)
    }

    /// Returns the time that the message has under a key. Throws a frame error if it is out of range.
    mutating func valid(_ key: WireKey, _ time: Int64) throws(PipelineError) -> Timestamp {
        let time = Timestamp(rawValue: time)
        guard time.isValid else { throw wrong(key, "decode.range", "a time lies between 0 and 2^53 − 1 µs") }
        return time
    }
}

extension TextBuffer {
    /// Writes a list under a key.
    @inline(__always)
    mutating func list(_ key: WireKey, _ elements: (inout TextBuffer) -> Void) {
        literal(key.member)
        byte(UInt8(ascii: "["))
        elements(&self)
        byte(UInt8(ascii: "]"))
    }

    /// Writes a list of objects under a key. `keys` writes the keys and values of one object, with a comma before each key.
    @inline(__always)
    mutating func objects<Element>(
        _ key: WireKey, _ elements: [Element], _ keys: (UnsafePointer<Element>, inout TextBuffer) -> Void
    ) {
        list(key) { json in
            elements.withUnsafeBufferPointer { elements in
                guard let first = elements.baseAddress else { return }
                for i in 0..<elements.count {
                    if i > 0 { json.byte(UInt8(ascii: ",")) }
                    json.object { keys(first + i, &$0) }
                }
            }
        }
    }

    /// Writes a list of categories.
    mutating func categories(_ categories: [Recognition.Category]) {
        list(.categories) { json in
            for (i, category) in categories.enumerated() {
                json.literal(i > 0 ? ",{\"name\":" : "{\"name\":")
                json.quoted(category.name)
                json.literal(",\"display_name\":")
                json.quoted(category.displayName)
                json.literal(",\"index\":")
                json.integer(Int64(category.index))
                json.member(.score, category.score)
                json.byte(UInt8(ascii: "}"))
            }
        }
    }

    /// Writes the payload that another payload was computed from.
    fileprivate mutating func subject(_ subject: Subject?) {
        switch subject {
        case .stroke(let stroke):
            literal(",\"subject\":{\"kind\":\"stroke\"")
            stroke.encode(into: &self)
            byte(UInt8(ascii: "}"))
        case .landmarks(let landmarks):
            literal(",\"subject\":{\"kind\":\"landmarks\"")
            landmarks.encode(into: &self)
            byte(UInt8(ascii: "}"))
        case nil: break
        }
    }

    /// Writes a number with a fixed number of decimals. It is rounded to nearest, with ties away from zero.
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
