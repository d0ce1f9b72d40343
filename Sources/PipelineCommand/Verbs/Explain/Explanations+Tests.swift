extension Explanation {
    /// Codes about tests in a configuration.
    static let tests = Family(
        "Tests in a configuration",
        [
            Explanation(
                "test.duplicate_name", [.configuration],
                "Two tests have the same name.",
                cause: "A test that fails is known by its name.",
                configuration: """
                    version: 1
                    sources: [synthetic]
                    sinks: [discard]
                    tests:
                      - { name: nothing, in: {}, out: { synthetic: "|" } }
                      - { name: nothing, in: {}, out: { synthetic: "|" } }
                    """,
                remedy: "Give each test a name of its own."),
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
                "A timeline has a letter that the legend does not explain.",
                cause: "The legend says which frame a letter stands for.",
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
                "A text is no timeline.",
                cause: """
                    A timeline is made of letters and digits (frames), `-` (nothing comes), `( )` round frames of \
                    one time and `|` at the end.
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
                remedy: "Correct it where the caret stands."),
            Explanation(
                "test.no_expectation", [.warning],
                "A test expects nothing, so it passes whatever happens.",
                cause: "None of `out`, `drops`, `ledger` and `fails` says what should come of the input.",
                configuration: """
                    version: 1
                    sources: [synthetic]
                    sinks: [discard]
                    tests:
                      - { name: nothing comes, in: {} }
                    """,
                remedy: "Say what is expected, as in `out: { stdout: \"a-b\" }`."),
            Explanation(
                "test.no_time", [.configuration],
                "A frame of a test does not say when it comes.",
                cause: "In a list of frames each says its time. Letters of a timeline get theirs from their place.",
                configuration: """
                    version: 1
                    sources: [synthetic]
                    sinks: [discard]
                    tests:
                      - { name: one, in: { synthetic: [{ fields: xy, pts: [0, 0] }] }, out: { synthetic: "|" } }
                    """,
                remedy: "Add `at_ms`, when it comes, or `t_us`, its timestamp. Either stands for both."),
            Explanation(
                "test.order", [.configuration],
                "The frames of a test are not in the order of their times.",
                cause: """
                    Frames are given in the order in which they come. A frame with an earlier timestamp may still \
                    come later: `at_ms` says when it comes, `t_us` its timestamp.
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
                "A test names a component that is not there, or that has no such part in a test.",
                cause: """
                    `in` names sources, `out` sources, stages and sinks, `service_ms` stages and sinks, `ledger` \
                    components and their counts.
                    """,
                configuration: """
                    version: 1
                    sources: [synthetic]
                    sinks: [discard]
                    tests:
                      - { name: one, in: { synthetc: "|" }, out: { synthetic: "|" } }
                    """,
                remedy: "Take the name that the help proposes."),
            Explanation(
                "test.unknown_place", [.configuration],
                "A test expects drops at a place that is not there.",
                cause: "A place is the id of a component, or an edge written `from -> to`.",
                configuration: """
                    version: 1
                    sources: [synthetic]
                    sinks: [discard]
                    tests:
                      - { name: one, in: {}, drops: [{ where: nowhere, why: edge_full, frames: [] }] }
                    """,
                remedy: "Take the place that the help proposes."),
            Explanation(
                "test.no_notation", [.configuration],
                "Frames of this type cannot be written in tests.",
                cause: """
                    Tests write frames as canonical messages. A type of frame that a program added in Swift has no \
                    such message unless it says how one is written.
                    """,
                output: "error[test.no_notation]: frames of kind weather cannot be written in tests",
                remedy: "Test what comes before or behind that component."),
            Explanation(
                "test.folder", [.environment],
                "A test written in Swift could not make its temporary folder.",
                cause: """
                    `TemporaryFolder` makes a folder below `TMPDIR`, or `/tmp`. That is full or cannot be written \
                    to.
                    """,
                output: "no folder could be made in /tmp [test.folder]",
                remedy: "Make room, or let `TMPDIR` name a folder that can be written to."),
        ])
}
