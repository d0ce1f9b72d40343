import Testing

@testable import Pipeline
@testable import PipelineConfiguration

@Suite("Values written into the text of a configuration")
struct ConfigurationEditorTests {
    @Test(
        "Editing a configuration: only the value changes, whatever the style",
        arguments: [
            (
                "stages:\n  - match: { library: a.json } # mine\n", "match.limit_factor=0.8",
                "stages:\n  - match: { limit_factor: 0.8, library: a.json } # mine\n"
            ),
            (
                "stages:\n  - match: { limit_factor: 2, library: a.json }\n", "match.limit_factor=0.8",
                "stages:\n  - match: { limit_factor: 0.8, library: a.json }\n"
            ),
            (
                "stages:\n  - match:\n      # strict\n      limit_factor: 2  # too wide\n      library: a.json\n",
                "match.limit_factor=0.8",
                "stages:\n  - match:\n      # strict\n      limit_factor: 0.8  # too wide\n      library: a.json\n"
            ),
            (
                "stages:\n  - match:\n      library: a.json\n", "match.limit_factor=0.8",
                "stages:\n  - match:\n      limit_factor: 0.8\n      library: a.json\n"
            ),
            (
                "stages:\n  - resample\n  - match: {}\n", "resample.points=32",
                "stages:\n  - resample: { points: 32 }\n  - match: {}\n"
            ),
            ("stages:\n  - match: {}\n", "match.limit_factor=2", "stages:\n  - match: { limit_factor: 2 }\n"),
            ("stages:\n  - match:\n", "match.limit_factor=2", "stages:\n  - match: { limit_factor: 2 }\n"),
            (
                "stages: [resample, { match: { id: m } }]\n", "m.method=dollar1",
                "stages: [resample, { match: { method: dollar1, id: m } }]\n"
            ),
            (
                "stages:\n  - gate: { landmarks: { threshold: 0.3 } }\n", "gate.landmarks.threshold=0.5",
                "stages:\n  - gate: { landmarks: { threshold: 0.5 } }\n"
            ),
            (
                "stages:\n  - gate: { landmarks: 3 }\n", "gate.landmarks.threshold=0.5",
                "stages:\n  - gate: { landmarks: { threshold: 0.5 } }\n"
            ),
            (
                "stages:\n  - gate:\n      landmarks:\n", "gate.landmarks.threshold=0.5",
                "stages:\n  - gate:\n      landmarks: { threshold: 0.5 }\n"
            ),
            (
                "stages:\n  - gate:\n      hold: # c\n", "gate.hold=3",
                "stages:\n  - gate:\n      hold: 3 # c\n"
            ),
            (
                "stages:\n  - gate: { hold: 1 }\n", "gate.landmarks.threshold=0.5",
                "stages:\n  - gate: { landmarks: { threshold: 0.5 }, hold: 1 }\n"
            ),
            (
                "stages:\n  - each:\n      stages:\n        - resample\n", "resample.points=8",
                "stages:\n  - each:\n      stages:\n        - resample: { points: 8 }\n"
            ),
            (
                "name: \"ä\" # é\nstages:\n  - match: { a: 'ö', b: 1 }\n", "match.b=[x, y]",
                "name: \"ä\" # é\nstages:\n  - match: { a: 'ö', b: [x, y] }\n"
            ),
        ])
    func styles(text: String, setting: String, wanted: String) throws {
        #expect(try ConfigurationEditor.setting([setting], in: text) == wanted)
    }

    @Test("Editing a configuration: several overrides are applied at once, in any order")
    func several() throws {
        let text = "stages:\n  - resample\n  - match: { library: a.json }\n"
        let settings = ["resample.points=16", "match.limit_factor=2", "match.min_margin=0.1"]
        let wanted =
            "stages:\n  - resample: { points: 16 }\n  - match: { limit_factor: 2, min_margin: 0.1, library: a.json }\n"
        #expect(try ConfigurationEditor.setting(settings, in: text) == wanted)
    }

    @Test("Editing a configuration: a value shared by an alias is refused, and so is an unknown id")
    func refused() {
        let shared = "stages:\n  - a: &x { points: 1 }\n  - b: *x\n"
        #expect(throws: PipelineError.self) { try ConfigurationEditor.setting(["b.points=2"], in: shared) }
        #expect(throws: PipelineError.self) { try ConfigurationEditor.setting(["c.points=2"], in: "stages: [a]\n") }
        #expect(throws: PipelineError.self) { try ConfigurationEditor.setting(["a.points=2"], in: "stages: [a\n") }
    }
}
