import Pipeline
import PipelineComponents

/// The input of a source in a test.
struct TestArrivals {
    /// An arriving frame, or an input that cannot be read.
    struct Item {
        /// The arrival time in microseconds after the start of the run.
        let moment: Int64

        /// The fields of the frame.
        let fields: ConfigNode

        /// The code of the error, if the item represents an input that cannot be read; otherwise `nil`.
        let failure: String?

        let span: SourceSpan
        let path: String
    }

    let items: [Item]

    /// The time at which the source ends, in microseconds after the start of the run; `nil` if it ends after the last item.
    let end: Int64?

    /// Whether the items are written as a timeline, not as a list.
    let isTimeline: Bool
}

/// Reads the frames of a test: timelines with their legend, and lists.
struct TestFrames {
    private let options: TestOptions
    private let legend: [(letter: Character, fields: ConfigNode)]
    private let tick: Int64
    private let findings: Findings
    private let unknown = UnknownLetters()

    /// The letters that were reported as missing in the legend, so that each is reported only once.
    private final class UnknownLetters {
        var letters: Set<Character> = []
    }

    init(_ options: TestOptions, legend: [(letter: Character, fields: ConfigNode)], findings: Findings) {
        self.options = options
        self.legend = legend
        self.findings = findings
        tick = max(1, Int64((options.tickMs * 1000).rounded()))
    }

    /// Returns the input of a source; `nil` with a finding if the node is neither a list nor a valid timeline.
    func arrivals(_ node: ConfigNode, _ context: DecodingContext) -> TestArrivals? {
        if let list = node.sequence { return arrivals(list, context) }
        guard let timeline = timeline(node, context) else { return nil }
        let place = Self.places(in: node)
        let items = timeline.marks.compactMap { mark -> TestArrivals.Item? in
            let span = place(mark.offset)
            guard let fields = fields(mark.letter, span, context) else { return nil }
            return .init(
                moment: mark.tick * tick, fields: fields, failure: failure(fields, context), span: span,
                path: context.path)
        }
        return TestArrivals(items: items, end: timeline.end.map { $0 * tick }, isTimeline: true)
    }

    private func arrivals(_ list: [ConfigNode], _ context: DecodingContext) -> TestArrivals {
        var last: Int64 = 0
        let items = list.enumerated().compactMap { index, node -> TestArrivals.Item? in
            let context = context.descending("[\(index)]")
            guard let (fields, given) = split(node, context) else { return nil }
            guard let moment = given ?? time(of: fields, context) else { return nil }
            guard moment >= last else {
                findings.error(
                    "test.order", "this frame comes before the one above it", at: node.span, path: context.path,
                    help: "write frames in the order in which they arrive")
                return nil
            }
            last = moment
            return .init(
                moment: moment, fields: fields, failure: failure(fields, context), span: node.span, path: context.path)
        }
        return TestArrivals(items: items, end: nil, isTimeline: false)
    }

    /// Returns the expected output of a node.
    func expected(_ node: ConfigNode, _ context: DecodingContext) -> ExpectedFrames? {
        frames(node, context) { $0 }
    }

    /// Returns the expected drops. A dropped frame is identified by its stream, sequence number, and timestamp.
    func dropped(_ node: ConfigNode, _ context: DecodingContext) -> ExpectedFrames? {
        let known = ["stream", "seq", "t_us"]
        for (index, item) in (node.sequence ?? []).enumerated() {
            for entry in item.mapping ?? [] where !known.contains(entry.key) {
                findings.error(
                    "option.unknown", "unknown option \"\(entry.key)\"", at: entry.keySpan,
                    path: context.descending("[\(index)]").descending(entry.key).path,
                    help: suggestion(for: entry.key, among: known, list: "valid here"))
            }
        }
        return frames(node, context) { fields in
            ConfigNode(.mapping((fields.mapping ?? []).filter { known.contains($0.key) }), span: fields.span)
        }
    }

    private func frames(
        _ node: ConfigNode, _ context: DecodingContext, _ seen: (ConfigNode) -> ConfigNode
    ) -> ExpectedFrames? {
        var expected = ExpectedFrames(
            items: [], legend: legend.map { ($0.letter, seen($0.fields)) }, tolerance: options.tolerance)
        if let list = node.sequence {
            for (index, node) in list.enumerated() {
                guard let (fields, moment) = split(node, context.descending("[\(index)]")) else { return nil }
                expected.items.append(.init(moment: moment, fields: seen(fields)))
            }
            return expected
        }
        guard let timeline = timeline(node, context) else { return nil }
        expected.tick = tick
        let place = Self.places(in: node)
        for mark in timeline.marks {
            guard let fields = fields(mark.letter, place(mark.offset), context) else { continue }
            expected.items.append(.init(letter: mark.letter, time: mark.tick * tick, fields: seen(fields)))
        }
        return expected
    }

    // MARK: - Parts

    private func timeline(_ node: ConfigNode, _ context: DecodingContext) -> Timeline? {
        guard let scalar = node.scalar, !node.isNull || scalar.text == "~" else {
            context.mismatch(
                node, wanted: "a timeline or a list of frames", help: "\"|\" is a timeline without frames")
            return nil
        }
        do {
            return try Timeline(scalar.text)
        } catch {
            findings.error(
                "test.timeline", error.message, at: Self.places(in: node)(error.offset), path: context.path)
            return nil
        }
    }

    private func fields(_ letter: Character, _ span: SourceSpan, _ context: DecodingContext) -> ConfigNode? {
        if let entry = legend.first(where: { $0.letter == letter }) { return entry.fields }
        guard unknown.letters.insert(letter).inserted else { return nil }
        let known = legend.map { String($0.letter) }
        findings.error(
            "test.unknown_letter", "\"\(letter)\" is not in the legend", at: span, path: context.path,
            help: known.isEmpty
                ? "give the test a legend with the frame of each letter, as in legend: { \(letter): { … } }"
                : "the legend has: \(shortList(known))")
        return nil
    }

    /// Splits an item of a list into the fields of the frame and the value of `at_ms`. Returns `nil` with a finding if the item is
    /// not a mapping or `at_ms` is not valid.
    ///
    /// - Returns: `moment` is the value of `at_ms` in microseconds, or `nil` if it is not given.
    private func split(_ node: ConfigNode, _ context: DecodingContext) -> (fields: ConfigNode, moment: Int64?)? {
        guard let entries = node.mapping else {
            context.mismatch(node, wanted: "the keys of a frame")
            return nil
        }
        var moment: Int64?
        if let at = node["at_ms"] {
            guard let milliseconds = Double.decode(at, context.descending("at_ms")) else { return nil }
            guard (0...9e12).contains(milliseconds) else {
                findings.error(
                    "option.range", "\(shortDecimal(milliseconds)) is out of range", at: at.span,
                    path: context.descending("at_ms").path, label: "allowed: 0 to 9e12")
                return nil
            }
            moment = Int64((milliseconds * 1000).rounded())
        }
        return (ConfigNode(.mapping(entries.filter { $0.key != "at_ms" }), span: node.span), moment)
    }

    /// Returns the timestamp of a frame in microseconds; `nil` with a finding if the frame has none or it is not valid.
    private func time(of fields: ConfigNode, _ context: DecodingContext) -> Int64? {
        guard let node = fields["t_us"], !node.isNull else {
            findings.error(
                "test.no_time", "this frame has no time", at: fields.span, path: context.path,
                help: "at_ms is when it arrives, t_us is its timestamp; one of them is enough")
            return nil
        }
        if let time = node.scalar?.integer { return Int64(time) }
        if let number = node.scalar?.number, let time = Int64(exactly: number) { return time }
        context.descending("t_us").mismatch(node, wanted: "a time in whole microseconds")
        return nil
    }

    /// Returns the code of an item `{ error: CODE }`, which represents an input that cannot be read; `nil` for any other item.
    private func failure(_ fields: ConfigNode, _ context: DecodingContext) -> String? {
        guard let error = fields["error"], fields.mapping?.count == 1 else { return nil }
        return String.decode(error, context.descending("error"))
    }

    /// Returns a function from an offset in a scalar to the position of the character there. If the scalar spans several lines or
    /// contains escapes, the function returns the position of the whole scalar. O(characters); the function is O(1).
    private static func places(in node: ConfigNode) -> (_ offset: Int) -> SourceSpan {
        let span = node.span
        let quotes = node.scalar?.isPlain ?? true ? 0 : 2
        guard let scalar = node.scalar, span.start.line == span.end.line,
            span.end.column - span.start.column == scalar.text.unicodeScalars.count + quotes
        else { return { _ in span } }
        return { offset in
            let start = SourcePosition(line: span.start.line, column: span.start.column + quotes / 2 + offset)
            return SourceSpan(
                file: span.file, start: start, end: SourcePosition(line: start.line, column: start.column + 1))
        }
    }
}
