extension Explanation {
    /// Codes about tests in a configuration.
    static let tests = Family(
        "Tests in a configuration",
        [
            Explanation(
                "test.duplicate_name", [.configuration],
                "Two tests have the same name.",
                cause: "A failed test is identified by its name.",
                configuration: """
                    version: 1
                    sources: [synthetic]
                    sinks: [discard]
                    tests:
                      - { name: nothing, in: {}, out: { synthetic: "|" } }
                      - { name: nothing, in: {}, out: { synthetic: "|" } }
                    """,
                remedy: "Give each test its own name."),
            Explanation(
                "test.letter", [.configuration],
                "A key of the legend is not a letter of a timeline.",
                cause: "A frame in a timeline is one character: a letter from a to z or A to Z, or a digit.",
                configuration: """
                    version: 1
                    sources: [synthetic]
                    sinks: [discard]
                    tests:
                      - { name: one, legend: { ab: {} }, in: {}, out: { synthetic: "|" } }
                    """,
                remedy: "Use one letter or digit."),
            Explanation(
                "test.unknown_letter", [.configuration],
                "A timeline has a letter that is not in the legend.",
                cause: "The legend defines the frame that each letter stands for.",
                configuration: """
                    version: 1
                    sources: [synthetic]
                    sinks: [discard]
                    tests:
                      - name: one
                        legend: { a: { fields: xy, pts: [0, 0] } }
                        in: { synthetic: "a-b" }
                        out: { synthetic: "a" }
                    """,
                remedy: "Add the letter to the legend, or correct the timeline."),
            Explanation(
                "test.timeline", [.configuration],
                "A text is not a timeline.",
                cause: """
                    A timeline consists of letters and digits (frames), `-` (no frame), `( )` around frames of the \
                    same time and `|` at the end. In the timeline of a source, such frames must be of different streams.
                    """,
                configuration: """
                    version: 1
                    sources: [synthetic]
                    sinks: [discard]
                    tests:
                      - name: one
                        legend: { a: { fields: xy, pts: [0, 0] } }
                        in: { synthetic: "a--*" }
                        out: { synthetic: "a" }
                    """,
                remedy: "Correct the timeline at the caret."),
            Explanation(
                "test.no_expectation", [.warning],
                "A test expects nothing, so it always passes.",
                cause: "None of `out`, `drops`, `ledger` and `fails` specifies an expected result.",
                configuration: """
                    version: 1
                    sources: [synthetic]
                    sinks: [discard]
                    tests:
                      - { name: nothing comes, in: {} }
                    """,
                remedy: "Specify what is expected, as in `out: { stdout: \"a-b\" }`."),
            Explanation(
                "test.no_time", [.configuration],
                "A frame of a test has no time.",
                cause: """
                    In a list, each frame needs a time. Letters of a timeline get theirs from their position.
                    """,
                configuration: """
                    version: 1
                    sources: [synthetic]
                    sinks: [discard]
                    tests:
                      - { name: one, in: { synthetic: [{ fields: xy, pts: [0, 0] }] }, out: { synthetic: "|" } }
                    """,
                remedy:
                    "Give the frame `at_ms`, its arrival time, or `t_us`, its timestamp. If only one is given, it is used for both."
            ),
            Explanation(
                "test.order", [.configuration],
                "The frames of a test are not in the order of their times.",
                cause: """
                    Frames are given in order of arrival. A frame with an earlier timestamp may still arrive later: \
                    `at_ms` is the arrival time, `t_us` the timestamp.
                    """,
                configuration: """
                    version: 1
                    sources: [synthetic]
                    sinks: [discard]
                    tests:
                      - name: one
                        in: { synthetic: [{ at_ms: 5, fields: xy, pts: [0, 0] }, { at_ms: 1, fields: xy, pts: [0, 0] }] }
                        out: { synthetic: "|" }
                    """,
                remedy: "Sort them by `at_ms`."),
            Explanation(
                "test.unknown_name", [.configuration],
                "A test names a component that does not exist, or that is not allowed in this part of a test.",
                cause: """
                    `in` names sources; `out` names sources, stages and sinks; `service_ms` names stages and sinks; \
                    `ledger` names components and their counts.
                    """,
                configuration: """
                    version: 1
                    sources: [synthetic]
                    sinks: [discard]
                    tests:
                      - { name: one, in: { synthetc: "|" }, out: { synthetic: "|" } }
                    """,
                remedy: "Use the name that the help suggests."),
            Explanation(
                "test.unknown_place", [.configuration],
                "A test expects drops at a place that does not exist.",
                cause: "A place is the id of a component, or an edge written `from -> to`.",
                configuration: """
                    version: 1
                    sources: [synthetic]
                    sinks: [discard]
                    tests:
                      - { name: one, in: {}, drops: [{ where: nowhere, why: edge_full, frames: [] }] }
                    """,
                remedy: "Use the place that the help suggests."),
            Explanation(
                "test.unknown_reason", [.warning],
                "A test expects drops for a reason for which the component or edge drops no frames.",
                cause: """
                    The reason is misspelled, it is a reason of another place, or the component is your own and its \
                    manifest does not declare the reason (`drops`).
                    """,
                configuration: """
                    version: 1
                    sources: [synthetic]
                    sinks: [discard]
                    tests:
                      - { name: one, in: {}, drops: [{ where: synthetic, why: disordr, frames: [] }] }
                    """,
                remedy: """
                    Use a reason that the help names. `pipectl stages NAME` shows the reasons of a component. Those of \
                    the engine are added: `edge_full` only at edges that drop, `unmatched` only at joins.
                    """),
            Explanation(
                "test.unknown_code", [.warning],
                "A test names an error code (`fails`, `error`, or `code` in a failed frame) that no error has.",
                cause:
                    "The code is misspelled, or it is one of your own components, and the program does not explain it.",
                output: "warning[test.unknown_code]: no error has the code \"source.disordr\"",
                remedy: """
                    Use the code that the help suggests. `pipectl explain` lists all codes. A program with its own components \
                    passes their explanations to `CommandLineTool`.
                    """),
            Explanation(
                "test.no_notation", [.configuration],
                "Frames of this type cannot be written in tests.",
                cause: """
                    Tests write frames as canonical messages. A frame type added in Swift has such messages only if it \
                    defines them.
                    """,
                output: "error[test.no_notation]: frames of kind weather cannot be written in tests",
                remedy: "In `in` and `out`, name only components whose frames have canonical messages."),
            Explanation(
                "test.folder", [.environment],
                "A test written in Swift could not create its temporary folder.",
                cause: """
                    `TemporaryFolder` creates a folder in `TMPDIR`, or in `/tmp`. That folder is full or not writable.
                    """,
                output: "no folder could be made in /tmp [test.folder]",
                remedy: "Free some space, or set `TMPDIR` to a writable folder."),
        ])
}
