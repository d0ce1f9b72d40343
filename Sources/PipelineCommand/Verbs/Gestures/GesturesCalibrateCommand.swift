import Pipeline
import Stages

extension Command {
    private static let falseAccept = Flag<Double>.parsed(
        "false-accept", placeholder: "SHARE", wanted: "a share from 0.1% to 50%", defaultText: "1%",
        "The share of unknown strokes that may be accepted"
    ) { Share.read($0).flatMap { (0.001...0.5).contains($0) ? $0 : nil } }
    private static let with = Flag.text(
        "with", placeholder: "RECORDING",
        "Strokes that are none of the gestures, to measure with; those labeled as one of them are left out")

    /// `pipectl gestures calibrate LIBRARY`.
    static let gesturesCalibrate: Command = Command(
        "calibrate", "store how far strokes may be from each gesture",
        details: """
            match with method cloud says None to what is farther from a gesture than its limit. Without this verb it learns limits from the samples; \
            calibrate stores limits for the share of unknown strokes you allow. With a RECORDING of enough strokes that are \
            none of the gestures (more than one over the share) they are measured, otherwise they are those of recorded people. With 20 or more of them \
            the confidence of matches is measured as well. Samples are \
            then compared with the library without them, to say how many known strokes to expect to be accepted. Once \
            samples are added or removed, the limits are not used any more.
            """,
        arguments: [LibraryFile.argument],
        flags: [falseAccept.description, with.description],
        examples: [
            Example("pipectl gestures calibrate mine.json", "Stores limits that let about 1 % of unknown strokes in"),
            Example(
                "pipectl gestures calibrate mine.json --false-accept=5% --with=doodles.jsonl",
                "Measures them with strokes that are none of the gestures"),
        ]
    ) { invocation, console in
        let path = invocation.words[0]
        var library = try GestureLibrary(readingFrom: path)
        var strangers: [Stroke] = []
        if let recording = invocation[with] {
            let names = Set(library.gestures.map(\.name))
            strangers = try await GestureReading.strokes(in: recording, console).map(\.payload)
            strangers.removeAll { $0.label.map(names.contains) ?? false }
            guard !strangers.isEmpty else {
                throw PipelineError.environment(
                    "calibrate.no_strangers", "\(recording) has only strokes of the library's gestures",
                    help: "record strokes that are none of them, or leave --with out")
            }
        }
        let share = invocation[falseAccept] ?? 0.01
        let calibration = try LibraryCalibration(library, falseAccept: share, strangers: strangers)
        library.limits = calibration.limits
        try library.write(to: path)
        console.say(
            "\(path): limits of \(Counted.text(calibration.limits.distances.count, "gesture")), for \(percent(share)) of unknown strokes accepted"
        )
        for (name, kind) in [("one stroke", calibration.oneStroke), ("several strokes", calibration.severalStrokes)]
        where kind.gestures > 0 {
            console.say(line(name, kind))
        }
        if calibration.confidence != nil { console.say("  confidence: measured with the unknown strokes") }
        return .done
    }

    private static func line(_ name: String, _ kind: LibraryCalibration.Kind) -> String {
        var parts = ["\(name): \(Counted.text(kind.gestures, "gesture"))"]
        parts.append(
            kind.tests > 0
                ? "of \(Counted.text(kind.tests, "sample")) left out \(percent(kind.accepted, of: kind.tests)) recognized and accepted"
                : "too few samples to say how many are accepted")
        if kind.strangers > 0 {
            parts.append(
                "of \(Counted.text(kind.strangers, "unknown stroke")) \(percent(kind.strangersAccepted, of: kind.strangers)) accepted"
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
