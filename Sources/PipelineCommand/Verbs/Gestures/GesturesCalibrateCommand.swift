import Connectors
import Pipeline
import Stages

extension Command {
    private static let falseAccept = Flag<Double>.parsed(
        "false-accept", placeholder: "SHARE", wanted: "a share from 0.1% to 50%", defaultText: "1%",
        "The share of unknown strokes or hands that may be accepted"
    ) { Share.read($0).flatMap { (0.001...0.5).contains($0) ? $0 : nil } }
    private static let with = Flag.text(
        "with", placeholder: "RECORDING",
        "Measures with the strokes or hands in RECORDING that are not labeled as a gesture of the library")

    /// `pipectl gestures calibrate LIBRARY`.
    static let gesturesCalibrate: Command = Command(
        "calibrate", "store limits on the distance from a gesture",
        details: """
            match with method cloud, and recognize_hand with a custom library, return None for input that is farther from every \
            gesture than its limit. By default, they learn the limits from the samples. calibrate stores limits in the library that \
            accept the given share of unknown strokes or hands. If RECORDING contains enough strokes or hands that are none of the \
            gestures, the limits are measured on them; otherwise they come from measurements on other people. Enough is at least \
            one divided by the share (50 for 2 %), for gestures of one stroke and of several strokes separately: an unknown \
            stroke counts for the kind of its nearest gesture. Measured limits are at most \(LibraryCalibration.widest) times as \
            wide as those from other people. With 20 or more unknown strokes or hands, the confidence of matches is measured as \
            well. To estimate how many known samples are accepted, each sample is compared with the library without that sample. \
            The limits are no longer used after samples were added or removed. For hands, one factor is stored that applies to \
            the limits of all gestures.
            """,
        arguments: [LibraryFile.argument],
        flags: [falseAccept.description, with.description],
        examples: [
            Example("pipectl gestures calibrate mine.json", "Stores limits that accept about 1 % of unknown gestures"),
            Example(
                "pipectl gestures calibrate mine.json --false-accept=5% --with=doodles.jsonl",
                "Measures the limits with strokes that are none of the gestures"),
        ]
    ) { invocation, console in
        let path = invocation.words[0]
        var library = try GestureLibrary(readingFrom: path)
        let unknown = try await unknownInput(for: library, invocation[with], console)
        let share = invocation[falseAccept] ?? 0.01
        let calibration = try LibraryCalibration(
            library, falseAccept: share, unknownStrokes: unknown.strokes, unknownHands: unknown.hands)
        library.limits = calibration.limits
        try library.write(to: path)
        console.say(
            "\(path): limits of \(Counted.text(calibration.oneStroke.gestures + calibration.severalStrokes.gestures + calibration.hands.gestures, "gesture")), for \(percent(share)) of unknown \(calibration.hands.gestures == 0 ? "strokes" : "hands") accepted"
        )
        let kinds = [
            ("one stroke", "unknown stroke", calibration.oneStroke),
            ("several strokes", "unknown stroke", calibration.severalStrokes),
            ("hands", "unknown hand", calibration.hands),
        ]
        for (name, unknown, kind) in kinds where kind.gestures > 0 { console.say(line(name, unknown, kind)) }
        if calibration.confidence != nil { console.say("  confidence: measured with the unknown strokes") }
        if calibration.confidenceOfHands != nil { console.say("  confidence: measured with the unknown hands") }
        return .done
    }

    /// Returns the strokes and hands of a recording that are none of the gestures.
    private static func unknownInput(
        for library: GestureLibrary, _ recording: String?, _ console: Console
    ) async throws -> (strokes: [Stroke], hands: [Landmarks]) {
        guard let recording else { return ([], []) }
        let names = Set(library.gestures.map(\.name))
        var (strokes, hands): ([Stroke], [Landmarks]) = ([], [])
        if try LibraryFile.kind(of: recording, nil).isHands {
            hands = try await GestureReading.hands(in: recording, console).flatMap(\.payload.hands)
        } else {
            strokes = try await GestureReading.strokes(in: recording, console).map(\.payload)
        }
        let ofHands = library.gestures.contains { !$0.hands.isEmpty }
        let ofStrokes = library.gestures.contains { !$0.samples.isEmpty }
        let hasSome = ofStrokes ? !strokes.isEmpty : !hands.isEmpty
        strokes.removeAll { $0.label.map(names.contains) ?? false }
        hands.removeAll { $0.label.map(names.contains) ?? false }
        guard ofStrokes && !strokes.isEmpty || ofHands && !hands.isEmpty else {
            let what = ofStrokes ? "strokes" : "hands"
            throw PipelineError.environment(
                "calibrate.no_strangers",
                hasSome
                    ? "all \(what) in \(recording) are labeled as gestures of the library"
                    : "the gestures of the library are \(what), but \(recording) contains none",
                help: "record \(what) that are none of the gestures, or leave --with out")
        }
        return (strokes, hands)
    }

    private static func line(_ name: String, _ unknown: String, _ kind: LibraryCalibration.Kind) -> String {
        var parts = ["\(name): \(Counted.text(kind.gestures, "gesture"))"]
        parts.append(
            kind.tests > 0
                ? "\(percent(kind.accepted, of: kind.tests)) of \(Counted.text(kind.tests, "sample")) recognized and accepted, each left out in turn"
                : "too few samples to estimate how many are accepted")
        if kind.unknownCount > 0 {
            parts.append(
                "\(percent(kind.unknownAccepted, of: kind.unknownCount)) of \(Counted.text(kind.unknownCount, unknown)) accepted"
                    + (kind.isMeasured ? "" : ", too few to measure the limits")
                    + (kind.isBounded
                        ? ", with the widest limits allowed: \(LibraryCalibration.widest) times the usual ones" : ""))
        }
        return "  " + parts.joined(separator: "; ")
    }

    private static func percent(_ count: Int, of all: Int) -> String { percent(Double(count) / Double(max(all, 1))) }

    private static func percent(_ share: Double) -> String {
        let tenths = Int((share * 1000).rounded())
        return tenths % 10 == 0 ? "\(tenths / 10) %" : "\(tenths / 10).\(tenths % 10) %"
    }
}
