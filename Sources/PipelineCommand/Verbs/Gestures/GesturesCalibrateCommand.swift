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
        "Strokes or hands that are none of the gestures, to measure with; those labeled as a gesture are left out")

    /// `pipectl gestures calibrate LIBRARY`.
    static let gesturesCalibrate: Command = Command(
        "calibrate", "store limits on the distance from a gesture",
        details: """
            match with method cloud, and recognize_hand with a custom library, return None for input that is farther from a \
            gesture than its limit. Without this verb, they learn limits from the samples; calibrate stores limits for \
            the share of unknown strokes or hands that you allow. With a RECORDING of enough strokes or hands that are none of the \
            gestures (more than one divided by the share), the limits are measured; otherwise they are those of recorded people. \
            With 20 or more of them, the confidence of matches is measured as well. Samples are then compared with the library \
            without those samples, to estimate how many known ones are accepted. After samples are added or removed, the limits are no \
            longer used. For hands, a factor is stored that applies to everything recognize_hand compares.
            """,
        arguments: [LibraryFile.argument],
        flags: [falseAccept.description, with.description],
        examples: [
            Example("pipectl gestures calibrate mine.json", "Stores limits that accept about 1 % of unknown gestures"),
            Example(
                "pipectl gestures calibrate mine.json --false-accept=5% --with=doodles.jsonl",
                "Measures them with strokes that are none of the gestures"),
        ]
    ) { invocation, console in
        let path = invocation.words[0]
        var library = try GestureLibrary(readingFrom: path)
        let strangers = try await strangers(to: library, invocation[with], console)
        let share = invocation[falseAccept] ?? 0.01
        let calibration = try LibraryCalibration(
            library, falseAccept: share, strangers: strangers.strokes, hands: strangers.hands)
        library.limits = calibration.limits
        try library.write(to: path)
        console.say(
            "\(path): limits of \(Counted.text(calibration.limits.distances.count + calibration.hands.gestures, "gesture")), for \(percent(share)) of unknown \(calibration.hands.gestures == 0 ? "strokes" : "hands") accepted"
        )
        let kinds = [
            ("one stroke", "unknown stroke", calibration.oneStroke),
            ("several strokes", "unknown stroke", calibration.severalStrokes),
            ("hands", "unknown hand", calibration.hands),
        ]
        for (name, stranger, kind) in kinds where kind.gestures > 0 { console.say(line(name, stranger, kind)) }
        if calibration.confidence != nil { console.say("  confidence: measured with the unknown strokes") }
        if calibration.confidenceOfHands != nil { console.say("  confidence: measured with the unknown hands") }
        return .done
    }

    /// Returns the strokes and hands of a recording that are none of the gestures.
    private static func strangers(
        to library: GestureLibrary, _ recording: String?, _ console: Console
    ) async throws -> (strokes: [Stroke], hands: [Landmarks]) {
        guard let recording else { return ([], []) }
        let names = Set(library.gestures.map(\.name))
        var (strokes, hands): ([Stroke], [Landmarks]) = ([], [])
        if try LibraryFile.kind(of: recording, nil).isHands {
            hands = try await GestureReading.hands(in: recording, console).flatMap(\.payload.hands)
        } else {
            strokes = try await GestureReading.strokes(in: recording, console).map(\.payload)
        }
        strokes.removeAll { $0.label.map(names.contains) ?? false }
        hands.removeAll { $0.label.map(names.contains) ?? false }
        let ofHands = library.gestures.contains { !$0.hands.isEmpty }
        let ofStrokes = library.gestures.contains { !$0.samples.isEmpty }
        guard ofStrokes && !strokes.isEmpty || ofHands && !hands.isEmpty else {
            let what = ofStrokes ? "strokes" : "hands"
            let hasOthers = !strokes.isEmpty || !hands.isEmpty
            throw PipelineError.environment(
                "calibrate.no_strangers",
                hasOthers
                    ? "\(recording) has no \(what), and the gestures of the library are of \(what)"
                    : "\(recording) has only \(what) of the library's gestures",
                help: "record \(what) that are none of them, or leave --with out")
        }
        return (strokes, hands)
    }

    private static func line(_ name: String, _ stranger: String, _ kind: LibraryCalibration.Kind) -> String {
        var parts = ["\(name): \(Counted.text(kind.gestures, "gesture"))"]
        parts.append(
            kind.tests > 0
                ? "of \(Counted.text(kind.tests, "sample")) left out \(percent(kind.accepted, of: kind.tests)) recognized and accepted"
                : "too few samples to say how many are accepted")
        if kind.strangers > 0 {
            parts.append(
                "of \(Counted.text(kind.strangers, stranger)) \(percent(kind.strangersAccepted, of: kind.strangers)) accepted"
                    + (kind.isMeasured ? "" : ", too few to measure with"))
        }
        return "  " + parts.joined(separator: "; ")
    }

    private static func percent(_ count: Int, of all: Int) -> String { percent(Double(count) / Double(max(all, 1))) }

    private static func percent(_ share: Double) -> String {
        let tenths = Int((share * 1000).rounded())
        return tenths % 10 == 0 ? "\(tenths / 10) %" : "\(tenths / 10).\(tenths % 10) %"
    }
}
