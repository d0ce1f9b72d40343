import Pipeline
import PipelineComponents
import PipelineConfiguration
import Testing

@testable import Connectors

/// The findings about mistakes in the `decode` section of a configuration, in human-readable form.
@Suite("Findings about decode")
struct DecodeFindingsTests {
    private func findings(_ source: String) -> String {
        let text = "version: 1\nsources:\n  - \(source)\nsinks:\n  - \"null\"\n"
        let loaded = PipelineLoader(registry: .standard).load(text: text, name: "a.yaml")
        return DiagnosticRenderer(texts: loaded.texts).render(loaded.diagnostics)
    }

    private static let zmq = "zmq: { bind: \"tcp://127.0.0.1:5556\", socket: pull, kind: hands, decode: "

    @Test(
        "decode: typical blocks are accepted",
        arguments: [
            "{ preset: mediapipe }", "{ preset: pupil, points: hand, format: json, frames: one }",
            "{ preset: openpose }",
            "{ points: \"left[*]\", t: timestamp, t_unit: s, seq: frame_id }", "{ format: msgpack }",
            "{ format: float32, shape: [2, 21, 3], fields: xyz }", "{ format: float64, shape: [42], fields: xy }",
            "{ points: [hands, data.hands], fields: xyc, missing_time: error }",
            "{ preset: flat63, format: csv, topic_delimiter: \" \" }",
            "{ format: text, columns: { stream: 1, t: 2 }, t_unit: us }",
        ])
    func good(block: String) { #expect(findings(Self.zmq + block + " }") == "") }

    @Test("decode: a path into a list that is read as a whole is found, and one beside it or into its element is not")
    func inside() {
        func found(_ block: String) -> String {
            findings("file: { path: a.jsonl, kind: landmarks, decode: { t: t, t_unit: s, \(block) } }")
        }
        #expect(
            found("points: pts, conf: \"pts[*].c\"").contains(
                "error[decode.path_inside]: \"pts[*].c\" is inside of the list that \"points\" reads as a whole"))
        #expect(found("points: \"hands[*].pts\", score: \"hands[*].pts[0].s\"").contains("decode.path_inside"))
        #expect(found("points: $, label: \"[0].name\"").contains("decode.path_inside"))
        #expect(found("points: pts, conf: c, score: \"c[0]\"").contains("\"conf\" reads as a whole"))
        #expect(found("points: pts, conf: pts.c, score: \"sets[*].c\"") == "")
        #expect(found("points: \"pts[*]\", conf: \"pts[*].sure\"") == "")
        #expect(found("points: [pts, \"pts[*]\"], label: \"pts[*].name\"") == "")
    }

    @Test("decode: a time without a unit is found, and the help suggests a unit that fits its name")
    func timeUnit() {
        #expect(
            findings(Self.zmq + "{ points: p, t: head.timestampMs } }") == """
                error[decode.time_unit]: the unit of the times of "head.timestampMs" is missing
                 --> a.yaml:3:93
                  |
                3 |   - zmq: { bind: "tcp://127.0.0.1:5556", socket: pull, kind: hands, decode: { points: p, t: head.timestampMs } }
                  |                                                                                             ^^^^^^^^^^^^^^^^
                  = help: add t_unit: ms, if that is the unit that the name stands for

                1 error

                """)
    }

    @Test(
        "decode: options that cannot work or have no effect are found, with the remedy",
        arguments: [
            (
                "kind: hands, decode: { preset: pupil }", "decode.preset", "preset pupil gives no hands",
                "write kind: landmarks or kind: points"
            ),
            (
                "kind: vector, decode: { preset: mediapipe }", "decode.preset", "preset mediapipe gives no vector",
                "write kind: hands or kind: landmarks"
            ),
            (
                "kind: points, decode: { format: csv, columns: { x: 1 } }", "decode.column",
                "columns says where x is, but not where y is",
                "with x and y, every row is one point; without both, one row contains all points"
            ),
            (
                "kind: points, decode: { format: text, columns: { y: 2 } }", "decode.column",
                "columns says where y is, but not where x is",
                "with x and y, every row is one point; without both, one row contains all points"
            ),
            (
                "kind: hands, decode: { format: csv, header: no }", "option.conflict",
                "\"header\" has no effect where every message has its own rows",
                "leave it out: it is for tables that a file or a pipe holds"
            ),
            (
                "kind: stroke, decode: { format: csv, columns: { x: 1, y: 2, stroke: 3 } }", "option.conflict",
                "\"columns.stroke\" has no effect where every message has its own rows",
                "leave it out: it is for tables that a file or a pipe holds"
            ),
            (
                "kind: stroke, decode: { points: p, fields: xyt, t: at, t_unit: iso8601 }", "decode.time_unit",
                "the times of points in lists are numbers, not texts", "add sample_unit: s, ms, us or ns"
            ),
            (
                "kind: stroke, decode: { points: p, fields: xyt, sample_unit: iso8601 }", "decode.time_unit",
                "the times of points in lists are numbers, not texts", "add sample_unit: s, ms, us or ns"
            ),
        ])
    func unusable(options: String, code: String, message: String, help: String) {
        let found = findings("zmq: { bind: \"tcp://127.0.0.1:5556\", socket: pull, \(options) }")
        #expect(found.hasPrefix("error[\(code)]: \(message)\n"))
        #expect(found.hasSuffix("  = help: \(help)\n\n1 error\n"))
    }

    @Test(
        "decode: the path of a value that the kind does not have is found, and the help names the kinds that have it",
        arguments: [
            ("hands, decode: { preset: mediapipe, subject: participant }", "subject", "stroke"),
            ("hands, decode: { points: p, phase: type }", "phase", "points"),
            ("landmarks, decode: { points: p, counts: n }", "counts", "stroke"),
            ("landmarks, decode: { points: p, stroke: n }", "stroke", "points"),
            ("landmarks, decode: { points: p, start: a }", "start", "points or kind: stroke or kind: vector"),
            ("vector, decode: { values: v, subject: who }", "subject", "stroke"),
            ("stroke, decode: { points: p, end_time: b }", "end_time", "vector"),
            ("stroke, decode: { points: p, handedness: side }", "handedness", "landmarks or kind: hands"),
            (
                "points, decode: { points: p, label: a }", "label",
                "stroke or kind: landmarks or kind: hands or kind: vector"
            ),
        ])
    func strange(options: String, name: String, kinds: String) {
        let found = findings("stdin: { kind: \(options) }")
        let kind = options.prefix { $0 != "," }
        #expect(found.hasPrefix("error[option.conflict]: \"\(name)\" has no effect for kind \(kind)\n"), "\(found)")
        #expect(found.hasSuffix("  = help: leave it out: it is for kind: \(kinds)\n\n1 error\n"), "\(found)")
    }

    @Test("decode: an invalid path is found, with an example of a valid one")
    func paths() {
        #expect(
            findings(Self.zmq + "{ points: \"people[*\" } }") == """
                error[decode.path]: "people[*": a bracket is not closed
                 --> a.yaml:3:87
                  |
                3 |   - zmq: { bind: "tcp://127.0.0.1:5556", socket: pull, kind: hands, decode: { points: "people[*" } }
                  |                                                                                       ^^^^^^^^^^
                  = help: paths are written like people[*].hand_left or data.points[0]

                1 error

                """)
    }

    @Test(
        "decode: wrong, missing and contradictory options are found",
        arguments: [
            (zmq + "{ t: t, t_unit: s } }", "decode.points: the path of the points is missing"),
            (
                zmq + "{ preset: mediapip } }",
                "option.choice: \"mediapip\" is not one of canonical, mediapipe, pupil, openpose, flat63"
            ),
            (
                zmq + "{ format: csv, points: a } }",
                "option.conflict: \"points\" has no effect where rows are read"
            ),
            (
                zmq + "{ points: a, columns: { x: 1, y: 2 } } }",
                "option.conflict: \"columns\" has no effect where no rows are read"
            ),
            (
                "file: { path: a.jsonl, kind: stroke, decode: { row: set } }",
                "option.conflict: \"row\" has no effect where no rows are read"
            ),
            (
                "file: { path: a.csv, kind: stroke, decode: { t: a, t_unit: s } }",
                "option.conflict: \"t\" has no effect where rows are read"
            ),
            (
                "file: { path: a.csv, kind: stroke, decode: { columns: { x: 1, y: 2, label: 3 }, labels: names.txt } }",
                "option.conflict: \"labels\" has no effect where a row does not hold a whole set"
            ),
            (
                zmq + "{ format: float32, shape: [21, 3], fields: xy } }",
                "option.conflict: \"shape\" has points of 3 numbers, but \"fields\" names 2"
            ),
            (zmq + "{ format: float32, shape: [-1, 1, -42] } }", "option.range: -1 in \"shape\" is out of range"),
            (
                zmq + "{ format: float32, shape: [4294967296, 4294967296] } }",
                "option.range: a message of this shape is too large"
            ),
            (zmq + "{ points: a, left: a } }", "decode.path_twice: \"a\" is both points and left"),
            (
                zmq + "{ points: a, fields: xyq } }",
                "decode.fields: \"q\" is none of x, y, z, t (time), p (pressure) and c (confidence)"
            ),
            (
                zmq + "{ points: a, fields: xyt } }",
                "decode.time_unit: the unit of the times of points is missing"
            ),
            (
                zmq + "{ format: csv, columns: { x: left, y: 2 } } }",
                "decode.column: column \"left\" cannot be found: a message has no header"
            ),
            (
                zmq + "{ points: a, topic_delimiter: \"\" } }",
                "option.delimiter: the text between a topic and a payload cannot be empty"
            ),
            (
                "zmq: { bind: \"tcp://127.0.0.1:5556\", socket: pull, kind: bitmap, decode: { points: a } }",
                "decode.kind: a bitmap is read from canonical messages only"
            ),
            (
                "zmq: { bind: \"tcp://127.0.0.1:5556\", socket: pull, kind: vector, decode: { points: a } }",
                "decode.points: the path of the values is missing"
            ),
            (
                "stdin: { kind: stroke, decode: { format: text, columns: { x: 2, y: 2 } } }",
                "decode.column_twice: column 2 is both x and y"
            ),
            (
                "stdin: { kind: landmarks, decode: { preset: pupil, frames: one } }",
                "option.conflict: \"frames\" has no effect for lines"
            ),
        ])
    func wrong(source: String, words: String) {
        let text = "version: 1\nsources:\n  - \(source)\nsinks:\n  - \"null\"\n"
        let found = PipelineLoader(registry: .standard).load(text: text).diagnostics
        #expect(found.map { "\($0.code): \($0.message)" } == [words])
    }

    @Test("decode: a bare preset name is found, and the help shows how to write it")
    func presetAlone() {
        #expect(findings("stdin: { kind: hands, decode: mediapipe }").contains("help: write { preset: mediapipe }"))
    }

    @Test(
        "decode: a path descends step by step, and [*] selects every element",
        arguments: [
            ("left", [.key("left")]), ("$", []), ("$.a", [.key("a")]), ("$[0]", [.element(0)]),
            ("people[*].hand_left", [.key("people"), .each, .key("hand_left")]),
            ("a.b[12][*].c d", [.key("a"), .key("b"), .element(12), .each, .key("c d")]),
        ] as [(String, [FieldPath.Step])])
    func steps(text: String, steps: [FieldPath.Step]) throws { #expect(try FieldPath(text).steps == steps) }

    @Test(
        "decode: text that is not a path is refused",
        arguments: ["", ".", "a.", "a..b", "a[", "a[x]", "a[-1]", "a]", "[*][*][*]", ".a"])
    func noPaths(text: String) {
        if text == "a]" {
            #expect { try FieldPath(text) } throws: { "\($0)".contains("a bracket is closed but not opened") }
        }
        #expect { try FieldPath(text) } throws: { ($0 as? PipelineError)?.code == "decode.path" }
    }
}
