import Pipeline
import PipelineComponents

/// Compares the frames that a test expects with the actual frames.
struct FrameComparison {
    private let place: String
    private let expected: ExpectedFrames
    private let actual: [(item: TestCapture.Item, fields: ConfigNode)]
    private let fields: FieldComparison

    // A few differences show what is wrong. Listing all differences of a long recording would not help.
    private static let detailLimit = 8
    private static let columnLimit: Int64 = 200

    private init(_ place: String, _ expected: ExpectedFrames, _ items: [TestCapture.Item]) {
        self.place = place
        self.expected = expected
        fields = FieldComparison(tolerance: expected.tolerance)
        let parsed = items.map { ($0, ConfigNode.parse(yaml: $0.text) ?? Self.text($0.text)) }
        // A timeline is drawn by timestamp, so the frames must be in order of timestamp instead of arrival.
        actual =
            expected.tick == nil
            ? parsed
            : parsed.enumerated().sorted { a, b in
                a.element.0.time == b.element.0.time ? a.offset < b.offset : a.element.0.time < b.element.0.time
            }.map(\.element)
    }

    private static func text(_ text: String) -> ConfigNode {
        let nowhere = SourcePosition(line: 1, column: 1)
        return ConfigNode(
            .scalar(.init(text: text, isPlain: false)), span: SourceSpan(file: "", start: nowhere, end: nowhere))
    }

    /// Returns a problem with the first differences and, if the test uses timelines, both timelines; `nil` if there is no
    /// difference.
    static func problem(
        at place: String, _ expected: ExpectedFrames, _ actual: [TestCapture.Item]
    ) -> TestReport.Problem? {
        let comparison = FrameComparison(place, expected, actual)
        let details = expected.tick == nil ? comparison.listDetails() : comparison.timelineDetails()
        guard !details.isEmpty else { return nil }
        var shown = Array(details.prefix(detailLimit))
        if details.count > detailLimit { shown.append("and \(details.count - detailLimit) more differences") }
        return .init(place: place, timelines: comparison.timelines(), details: shown)
    }

    /// Returns the first difference between an expected frame and the actual frame at an index; `nil` if there is none.
    private func difference(_ wanted: ExpectedFrames.Item, _ index: Int) -> String? {
        let (item, node) = actual[index]
        if let moment = wanted.moment, moment != item.moment {
            return "at_ms is \(Self.milliseconds(item.moment)), and \(Self.milliseconds(moment)) is expected"
        }
        guard node.mapping != nil else { return item.text }
        return fields.difference(wanted.fields, node)
    }

    // MARK: - Lists

    private func listDetails() -> [String] {
        var details: [String] = []
        for index in 0..<max(expected.items.count, actual.count) {
            if index >= expected.items.count {
                details.append("[\(index)] is not expected: \(actual[index].item.text)")
            } else if index >= actual.count {
                details.append("[\(index)] did not come: \(expected.items[index].fields.json)")
            } else if let difference = difference(expected.items[index], index) {
                details.append("[\(index)] \(difference)")
            }
        }
        return details
    }

    // MARK: - Timelines

    /// Returns the indices of the expected and the actual frames at each timestamp, in order of time.
    private func byTime() -> [(time: Int64, wanted: [Int], found: [Int])] {
        var wanted: [Int64: [Int]] = [:]
        var found: [Int64: [Int]] = [:]
        for (index, item) in expected.items.enumerated() { wanted[item.time ?? 0, default: []].append(index) }
        for (index, entry) in actual.enumerated() { found[entry.item.time, default: []].append(index) }
        return Set(wanted.keys).union(found.keys).sorted().map { ($0, wanted[$0] ?? [], found[$0] ?? []) }
    }

    private func timelineDetails() -> [String] {
        var details: [String] = []
        for (time, wanted, found) in byTime() {
            let moment = "at \(Self.milliseconds(time)) ms"
            for index in 0..<max(wanted.count, found.count) {
                if index >= found.count {
                    details.append("\(moment): \(letter(wanted[index])) is expected, and nothing came")
                } else if index >= wanted.count {
                    details.append("\(moment): nothing is expected, and this came: \(actual[found[index]].item.text)")
                } else if let difference = difference(expected.items[wanted[index]], found[index]) {
                    details.append("\(moment): \(letter(wanted[index])): \(difference)")
                }
            }
        }
        return details
    }

    private func letter(_ index: Int) -> String { expected.items[index].letter.map { String($0) } ?? "?" }

    /// Returns the expected and the actual frames as timelines. Returns `nil` if the test lists its frames, or if a frame is before
    /// the first tick, between two ticks, or beyond the last column.
    private func timelines() -> (expected: String, actual: String)? {
        guard let tick = expected.tick else { return nil }
        let times = byTime()
        let last = (times.last?.time ?? 0) / tick
        guard last <= Self.columnLimit, times.allSatisfy({ $0.time % tick == 0 && $0.time >= 0 }) else { return nil }
        var wanted: [Int64: [Character]] = [:]
        var found: [Int64: [Character]] = [:]
        for (time, places, came) in times {
            wanted[time / tick] = places.map { expected.items[$0].letter ?? "?" }
            found[time / tick] = came.enumerated().map { place, index in
                if place < places.count, difference(expected.items[places[place]], index) == nil {
                    return expected.items[places[place]].letter ?? "?"
                }
                let fitting = expected.legend.first { entry in
                    difference(.init(fields: entry.fields), index) == nil
                }
                return fitting?.letter ?? "?"
            }
        }
        let drawn = Timeline.drawn([wanted, found], upTo: last)
        return (drawn[0], drawn[1])
    }

    private static func milliseconds(_ microseconds: Int64) -> String { shortDecimal(Double(microseconds) / 1000) }
}
