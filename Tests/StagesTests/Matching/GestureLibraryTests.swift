import Foundation
import Pipeline
import PipelineTesting
import Testing

@testable import Connectors
@testable import Stages

@Suite("gesture libraries")
struct GestureLibraryTests {
    private let library = GestureLibrary(gestures: [
        .init(
            name: "say \"hi\"", displayNames: ["en": "hello", "de": "hallo"],
            samples: [
                Stroke(
                    samples: [Sample(x: 1, y: 2.5, t: 0), Sample(x: 0.1, y: -3e-7, t: 1000)], start: .microseconds(5),
                    fields: .time, subject: "2"),
                Stroke(
                    samples: [Sample(x: 1, y: 2, p: 0.5), Sample(x: 3, y: 4, p: 1)], counts: [1, 1], fields: .pressure),
            ]),
        .init(name: "empty"),
    ])

    private let text = """
        {
          "version": 1,
          "gestures": [
            {
              "name": "say \\"hi\\"",
              "display_names": {"de": "hallo", "en": "hello"},
              "kind": "stroke",
              "samples": [
                {"start_us":5,"fields":"xyt","pts":[1,2.5,0,0.1,-3e-07,1000],"subject":"2"},
                {"start_us":0,"counts":[1,1],"fields":"xyp","pts":[1,2,0.5,3,4,1]}
              ]
            },
            {
              "name": "empty",
              "kind": "stroke",
              "samples": []
            }
          ]
        }

        """

    @Test("A gesture library is written in exactly this form, with one sample per line")
    func written() throws {
        let written = String(decoding: try library.json(), as: UTF8.self)
        #expect(written == text)
        #expect(
            String(decoding: try GestureLibrary().json(), as: UTF8.self)
                == "{\n  \"version\": 1,\n  \"gestures\": []\n}\n")
    }

    @Test("A gesture library is read back from its file without any change")
    func roundTrip() throws {
        let folder = try TemporaryFolder()
        let path = "\(folder.path)/library.json"
        try library.write(to: path)
        #expect(try GestureLibrary(readingFrom: path) == library)
        let left = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(left == ["library.json"], "the temporary file was not removed")
    }

    @Test("Gesture libraries: bare bitmaps are written one per line, and read back")
    func patterns() throws {
        let library = GestureLibrary(gestures: [
            .init(name: "e", kind: .bitmap, samples: [Stroke(samples: [Sample(x: 1, y: 2)])], patterns: [.max, 0x1FF])
        ])
        let written = try library.json()
        #expect(
            String(decoding: written, as: UTF8.self) == """
                {
                  "version": 1,
                  "gestures": [
                    {
                      "name": "e",
                      "kind": "bitmap",
                      "samples": [
                        {"start_us":0,"fields":"xy","pts":[1,2]}
                      ],
                      "patterns": [
                        "ffffffffffffffff",
                        "00000000000001ff"
                      ]
                    }
                  ]
                }

                """)
        #expect(try GestureLibrary(json: written) == library)
    }

    @Test("Gesture libraries: an error leaves the file as it was")
    func allOrNothing() throws {
        let folder = try TemporaryFolder()
        let path = "\(folder.path)/library.json"
        try library.write(to: path)
        let bad = GestureLibrary(gestures: [.init(name: "bad", samples: [Stroke(samples: [Sample(x: .nan, y: 0)])])])
        #expect(throws: PipelineError.self) { try bad.write(to: path) }
        #expect(try GestureLibrary(readingFrom: path) == library)
        #expect(throws: PipelineError.self) { try library.write(to: "/nowhere/at/all.json") }
    }

    @Test(
        "Gesture libraries: bad files are refused with the line and the reason",
        arguments: [
            ("", "decode.empty", 1),
            ("{\n\"version\": 2, \"gestures\": []}", "library.version", 2),
            ("{\"gestures\": []}", "library.missing", 1),
            ("[]", "decode.type", 1),
            ("{\"version\": 1, \"gestures\": [\n{\"name\": \"a\", \"sampels\": []}]}", "library.unknown_key", 2),
            ("{\"version\": 1, \"gestures\": [\n{\"kind\": \"stroke\"}]}", "library.name", 2),
            ("{\"version\": 1, \"gestures\": [{\"name\": \"None\"}]}", "library.name", 1),
            ("{\"version\": 1, \"gestures\": [{\"name\": \"a\"},\n\n{\"name\": \"a\"}]}", "library.duplicate", 3),
            ("{\"version\": 1, \"gestures\": [{\"name\": \"a\", \"kind\": \"dance\"}]}", "library.kind", 1),
            (
                "{\"version\": 1, \"gestures\": [{\"name\": \"a\", \"samples\": [\n{\"fields\": \"xy\", \"pts\": [1,2,3]}]}]}",
                "library.count", 2
            ),
            (
                "{\"version\": 1, \"gestures\": [{\"name\": \"a\", \"samples\": [\n{\"fields\": \"xz\", \"pts\": [1,2]}]}]}",
                "library.fields", 2
            ),
            (
                "{\"version\": 1, \"gestures\": [{\"name\": \"a\", \"samples\": [\n{\"fields\": \"xy\", \"pts\": [1,2], \"counts\": [2]}]}]}",
                "stroke.counts", 2
            ),
            (
                "{\"version\": 1, \"gestures\": [{\"name\": \"a\", \"samples\": [\n{\"fields\": \"xy\", \"pts\": [1,2], \"counts\": [1,0]}]}]}",
                "stroke.counts", 2
            ),
            ("{\"version\": 1, \"gestures\": [{\"name\": \"a\", \"samples\": [{\"pts\": []}]}]}", "stroke.empty", 1),
            (
                "{\"version\": 1, \"gestures\": [{\"name\": \"a\", \"patterns\": [\n\"00000000000001ff\"]}]}",
                "library.kind", 2
            ),
            (
                "{\"version\": 1, \"gestures\": [{\"name\": \"a\", \"kind\": \"bitmap\", \"patterns\": [\n\"1ff\"]}]}",
                "library.pattern", 2
            ),
            ("{\"version\": 1, \"gestures\": [", "decode.truncated", 1),
            ("\u{1}\u{2}\u{3}", "decode.type", 1),
        ])
    func badFiles(text: String, code: String, line: Int) throws {
        let error = try #require(throws: PipelineError.self) { try GestureLibrary(json: Array(text.utf8)) }
        #expect(error.code == code, "\(error)")
        #expect(error.location == "line \(line)", "\(error)")
    }

    @Test("Gesture libraries: a byte order mark at the beginning is skipped")
    func byteOrderMark() throws {
        let text = "\u{FEFF}{\"version\": 1,\n\"gestures\": [{\"name\": \"a\", \"samples\": []}]}"
        #expect(try GestureLibrary(json: Array(text.utf8)).gestures.map(\.name) == ["a"])
    }

    @Test("Gesture libraries: an error in a sample names the gesture and the number of the sample")
    func badSample() throws {
        let text = """
            {"version": 1, "gestures": [{"name": "v", "samples": [
            {"fields": "xy", "pts": [0,0,1,1], "counts": [2]},
            {"fields": "xy", "pts": [0,0,1,1], "counts": [2,0]}]}]}
            """
        let error = try #require(throws: PipelineError.self) { try GestureLibrary(json: Array(text.utf8)) }
        #expect(error.code == "stroke.counts" && error.message.hasPrefix("sample 2 of \"v\": "), "\(error)")
    }

    @Test("Gesture libraries: a missing file and a folder are environment errors")
    func environment() throws {
        for path in ["/nowhere/library.json", "/"] {
            let error = try #require(throws: PipelineError.self) { try GestureLibrary(readingFrom: path) }
            #expect(error.category == .environment)
        }
    }

    @Test("Gesture libraries: merging adds new samples, and nothing the second time")
    func merge() throws {
        var merged = library
        let other = GestureLibrary(gestures: [
            .init(name: "empty", displayNames: ["de": "leer"], samples: [egg()]),
            .init(name: "new", samples: [egg(), egg(count: 7)]),
        ])
        #expect(try merged.merge(other) == 3)
        #expect(merged.gestures.map(\.name) == ["say \"hi\"", "empty", "new"])
        #expect(merged["empty"]?.displayNames == ["de": "leer"])
        #expect(try merged.merge(other) == 0)
        #expect(merged.sampleCount == 5)
    }

    @Test("Gesture libraries: frames are imported by their labels, or under a name")
    func importing() throws {
        var library = GestureLibrary()
        let frames = [
            Frame(stroke([(0, 0), (1, 1)], label: "dash"), at: .zero), Frame(stroke([(0, 0), (1, 2)]), at: .zero),
        ]
        let counts = try library.importSamples(from: frames)
        #expect((counts.imported, counts.unlabeled) == (1, 1))
        #expect(library.gestures.map(\.name) == ["dash"])
        #expect(try library.importSamples(from: frames, as: "line").imported == 2)
        #expect(library["line"]?.samples.count == 2)
    }

    @Test(
        "Gesture libraries: a display name is chosen by locale, or else by language; without either, it is the gesture's name"
    )
    func displayNames() {
        let gesture = GestureLibrary.Gesture(name: "star", displayNames: ["de": "Stern", "de-AT": "Sternderl"])
        #expect(gesture.displayName(locale: "de-AT") == "Sternderl")
        #expect(gesture.displayName(locale: "de-CH") == "Stern")
        #expect(gesture.displayName(locale: "fr") == "star")
        #expect(gesture.displayName(locale: nil) == "star")
    }

    @Test("Gesture libraries: strokes are drawn in the terminal with their proportions")
    func drawing() {
        let box = stroke([(0, 0), (7, 0), (7, 7), (0, 7), (0, 0)])
        #expect(GestureDrawing.text(box, columns: 4, rows: 2) == "⡏⠉⠉⢹\n⣇⣀⣀⣸")
        #expect(GestureDrawing.text(stroke([(0, 0), (7, 0)]), columns: 4, rows: 2) == "\n⠉⠉⠉⠉")
        for input in HostileStroke.allCases where input != .million {
            let lines = GestureDrawing.text(input.stroke, columns: 10, rows: 4).split(separator: "\n")
            #expect(lines.count <= 4 && lines.allSatisfy { $0.count <= 10 }, "\(input)")
        }
    }

    @Test("Gesture libraries: a gesture is drawn as SVG, its name escaped")
    func svg() {
        let svg = GestureDrawing.svg(.init(name: "<a&b>", samples: [egg(), stroke([(0, 0), (5, 5)])]))
        #expect(svg.contains("&lt;a&amp;b&gt;, 2 samples"))
        #expect(svg.components(separatedBy: "<polyline").count == 3)
        #expect(!svg.contains("nan") && !svg.contains("inf"))
    }

    @Test("Gesture libraries: bare bitmaps are drawn as their black cells")
    func svgOfPatterns() {
        let svg = GestureDrawing.svg(
            .init(name: "e", kind: .bitmap, samples: [egg()], patterns: [0x8000_0000_0000_0001]))
        #expect(svg.contains("e, 2 samples"))
        // The bitmap is in the second column of 120 units, with a margin of 10, below a heading of 24. Its first and last cells
        // are black.
        #expect(svg.contains("<path d=\"M130,34h12.5v12.5h-12.5zM217.5,121.5h12.5v12.5h-12.5z\""))
    }
}
