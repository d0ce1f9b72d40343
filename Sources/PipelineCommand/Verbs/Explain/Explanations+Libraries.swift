extension Explanation {
    /// Codes about gesture libraries.
    static let libraries = Family(
        "Gesture libraries",
        [
            Explanation(
                "library.version", [.configuration, .environment],
                "A gesture library has an unknown version.",
                cause: "A newer program wrote the file, or the file is not a gesture library.",
                output: "error[library.version]: shapes.json: version 2 of the format is not known",
                remedy: "Use a newer `pipectl`."),
            Explanation(
                "library.missing", [.configuration, .environment],
                "A file is not a gesture library: its version or its gestures are missing.",
                cause: "A library is a JSON object with `version` and `gestures`.",
                output: "error[library.missing]: shapes.json: a gesture library has \"version\" and \"gestures\"",
                remedy: """
                    Check the file's name. `pipectl gestures import LIBRARY DATA` creates a library from labeled data.
                    """),
            Explanation(
                "library.recording", [.configuration, .environment],
                "A recording was given where a gesture library is needed.",
                cause: "The first object in the file has the keys of a frame.",
                configuration: """
                    version: 1
                    sources: [synthetic]
                    stages: [match: { library: Samples/session.jsonl }]
                    sinks: [discard]
                    """,
                remedy: "Create a library from it: `pipectl gestures import LIBRARY DATA`."),
            Explanation(
                "library.unknown_key", [.configuration, .environment],
                "A gesture library has an unknown key.",
                cause: "The key is misspelled, in the wrong place, or belongs to samples of another kind of gesture.",
                output: "error[library.unknown_key]: shapes.json: unknown key \"smaples\" in a gesture",
                remedy: "Correct the key as the help says."),
            Explanation(
                "library.duplicate_key", [.configuration, .environment],
                "A gesture library contains the same key twice.",
                cause: "The file was edited by hand.",
                output: "error[library.duplicate_key]: shapes.json: a second \"name\" in a gesture",
                remedy: "Keep one of the two."),
            Explanation(
                "library.duplicate", [.configuration, .environment],
                "Two gestures of a library have the same name.",
                cause: "The file was edited or joined by hand.",
                output: "error[library.duplicate]: shapes.json: a second gesture is named \"star\"",
                remedy: "Put the samples of both under one gesture, or rename one."),
            Explanation(
                "library.name", [.configuration, .environment],
                "A gesture has no name, or an invalid one.",
                cause: "\"None\" means that nothing was recognized, so no gesture can have this name.",
                output: "error[library.name]: shapes.json: a gesture has no name",
                remedy: "Give the gesture its own name."),
            Explanation(
                "library.kind", [.configuration, .environment],
                "The kind of a gesture is unknown or does not fit its samples.",
                cause: """
                    All samples of a gesture have one kind, such as strokes or hands. Only bitmaps have patterns.
                    """,
                output: "error[library.kind]: \"star\" is a gesture of kind stroke, and the samples are of hand21",
                remedy: "Add the samples under another name, or remove the gesture first."),
            Explanation(
                "library.fields", [.configuration, .environment],
                "The `fields` of a sample are unknown.",
                cause: """
                    Each letter is a number of a point. x and y are required, and no letter may appear twice.
                    """,
                output: "error[library.fields]: shapes.json: fields \"xx\" are not known",
                remedy: "Write the letters as the help says."),
            Explanation(
                "library.count", [.configuration, .environment],
                "The numbers of a sample do not form whole points.",
                cause: """
                    `fields` determines how many numbers a point has, and the count of numbers is not a multiple of \
                    that.
                    """,
                output: "error[library.count]: shapes.json: 7 numbers cannot be divided into points of 2 fields",
                remedy: "Correct `fields` or the numbers."),
            Explanation(
                "library.start", [.configuration, .environment],
                "The start time of a sample is out of range.",
                cause: "`start_us` lies between 0 and 2^53 − 1.",
                output: "error[library.start]: shapes.json: start_us lies between 0 and 2^53 − 1",
                remedy: "Correct `start_us`, or leave it out."),
            Explanation(
                "library.pattern", [.configuration, .environment],
                "A pattern of a gesture is not 16 hexadecimal digits.",
                cause: "A pattern is an 8×8 bitmap, written as 64 bits in hexadecimal.",
                output: "error[library.pattern]: bits.json: a pattern is a text of 16 hexadecimal digits",
                remedy: "Write all 16 digits in quotes."),
            Explanation(
                "library.fingerprint", [.configuration, .environment],
                "The fingerprint of a library's limits is not 16 hexadecimal digits.",
                cause:
                    "The fingerprint identifies the samples for which the limits were computed. The file was edited.",
                output: "error[library.fingerprint]: shapes.json: a fingerprint is a text of 16 hexadecimal digits",
                remedy: "Remove `limits` from the file and run `pipectl gestures calibrate LIBRARY`."),
            Explanation(
                "library.limit", [.configuration, .environment],
                "A limit of a library is out of range.",
                cause: "Limits are distances of at least 0. The file was edited.",
                output: "error[library.limit]: shapes.json: the limit of \"star\" is below 0",
                remedy: "Remove `limits` from the file and run `pipectl gestures calibrate LIBRARY`."),
            Explanation(
                "library.confidence", [.configuration, .environment],
                "The confidence stored in a library is out of range.",
                cause: "`pipectl gestures calibrate` computes the confidence. The file was edited.",
                output: "error[library.confidence]: shapes.json: \"slope\" of the confidence is out of range",
                remedy: "Remove `limits` from the file and run `pipectl gestures calibrate LIBRARY`."),
            Explanation(
                "library.not_finite", [.environment],
                "A library cannot be written because a sample contains a number that is not finite.",
                cause: "JSON has no infinity and no NaN.",
                output: "error[library.not_finite]: a sample holds a number that is not finite",
                remedy: "Leave that sample out."),
            Explanation(
                "gestures.nothing", [.environment],
                "`pipectl gestures add` or `import` found nothing to add.",
                cause: "The data contains no frame of the library's kind, or `--between` excludes all of them.",
                output: """
                    $ pipectl gestures add mine.json star empty.jsonl
                    error[gestures.nothing]: there is nothing to add to star
                    """,
                remedy: "Check the data with `pipectl info FILE`."),
            Explanation(
                "gestures.no_labels", [.environment],
                "`pipectl gestures import` found no labeled data.",
                cause: "The import assigns samples to gestures by their labels, but no sample has a label.",
                output: "error[gestures.no_labels]: 12 strokes read, none with a label",
                remedy: "Name the gesture yourself: `pipectl gestures add LIBRARY GESTURE DATA`."),
            Explanation(
                "calibrate.no_samples", [.environment],
                "A library has no gesture for which limits can be computed.",
                cause: """
                    Limits exist for `match` with method `cloud`, which compares strokes, and for `recognize_hand`.
                    """,
                output: "error[calibrate.no_samples]: the library has no gesture of strokes or hands",
                remedy: "Add samples of strokes or hands first."),
            Explanation(
                "calibrate.no_strangers", [.environment],
                "The recording of unknown gestures contains none.",
                cause: """
                    `--with` needs gestures that are not in the library, but the recording contains only gestures of \
                    the library, or data of another kind.
                    """,
                output:
                    "error[calibrate.no_strangers]: all strokes in session.jsonl are labeled as gestures of the library",
                remedy: "Record gestures that are not in the library, or leave `--with` out."),
        ])
}
