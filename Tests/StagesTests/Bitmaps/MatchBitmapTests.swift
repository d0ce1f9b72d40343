import Pipeline
import PipelineComponents
import Testing

@testable import PipelineConfiguration
@testable import Stages

@Suite("match_bitmap")
struct MatchBitmapTests {
    private let library = GestureLibrary(gestures: [
        .init(name: "slash", displayNames: ["de": "Strich"], samples: [stroke([(0, 0), (70, 70)])]),
        .init(name: "frame", kind: .bitmap, patterns: [0xFF81_8181_8181_81FF]),
        .init(
            name: "cross", kind: .bitmap, samples: [stroke([(0, 0), (70, 70), (70, 0), (0, 70)])],
            patterns: [0x0808_0808_FF08_0808]),
    ])

    private func recognize(_ bits: UInt64, _ change: (inout MatchBitmap.Options) -> Void = { _ in }) throws
        -> Recognition
    {
        var options = MatchBitmap.Options()
        change(&options)
        return try apply(try MatchBitmap.comparing(with: library, options), to: Bitmap(bits: bits, label: "frame"))
    }

    private func context(_ stages: [any Stage], input: PortType) -> BuildContext {
        BuildContext(id: "match_bitmap", upstream: PureRun(stages: stages, input: input, above: "camera"))
    }

    @Test("match_bitmap: strokes are prepared by the stages above, and bare patterns are taken as they are")
    func preparation() throws {
        // The cross, drawn in one stroke, has the 8 cells of the slash and 14 others.
        #expect(try recognize(0x8040_2010_0804_0201).categories.map(\.name) == ["slash", "cross"])
        #expect(try recognize(0xFF81_8181_8181_81FF).best.score == 1)
        #expect(try recognize(0x0808_0808_FF08_0808).categories.map(\.name) == ["cross"])
        // The frame without one of its 28 cells: all 27 cells of the query are also in the pattern.
        let result = try recognize(0xFF81_8181_8181_81FE)
        #expect(result.best.name == "frame" && result.best.index == 1)
        #expect(result.best.score == 54.0 / 55)
        #expect(result.label == "frame")
        #expect(result.matcher == "bitmap, dice")
    }

    @Test("match_bitmap: with two results, a category takes the place of the class for unknown gestures")
    func twoResults() throws {
        let library = GestureLibrary(gestures: [
            .init(name: "a", kind: .bitmap, patterns: [0xFF]), .init(name: "none", kind: .bitmap, patterns: [0x7F]),
            .init(name: "b", kind: .bitmap, patterns: [0x0F]),
        ])
        for most in [-1, 2, 3] {
            var options = MatchBitmap.Options()
            options.categories.maxResults = most
            let result = try apply(try MatchBitmap.comparing(with: library, options), to: Bitmap(bits: 0xFF))
            #expect(result.categories.map(\.name) == ["a", "b"], "\(most)")
        }
    }

    @Test("match_bitmap: the class for unknown gestures is compared even if the allowlist does not name it")
    func allowlistKeepsNone() throws {
        let library = GestureLibrary(gestures: [
            .init(name: "a", kind: .bitmap, patterns: [0xFF]), .init(name: "none", kind: .bitmap, patterns: [0x3F]),
        ])
        var options = MatchBitmap.Options()
        options.categories.allowlist = ["a"]
        let stage = try MatchBitmap.comparing(with: library, options)
        #expect(try apply(stage, to: Bitmap(bits: 0xFF)).best.name == "a")
        #expect(try apply(stage, to: Bitmap(bits: 0x3F)).categories == [.none])
    }

    @Test("match_bitmap: the options for categories work as in match")
    func categories() throws {
        let all = try recognize(0x8040_2010_0804_0201) { $0.scoreThreshold = 0 }
        #expect(all.categories.map(\.name) == ["slash", "cross", "frame"])
        #expect(all.margin == all.categories[0].score - all.categories[1].score)
        #expect(
            try recognize(0x8040_2010_0804_0201) {
                $0.scoreThreshold = 0
                $0.categories.maxResults = 1
            }.categories == [all.categories[0]])
        #expect(try recognize(0x8040_2010_0804_0201) { $0.displayNames = "de" }.best.displayName == "Strich")
        #expect(try recognize(0x8040_2010_0804_0201) { $0.categories.denylist = ["slash"] }.best.name == "cross")
        #expect(try recognize(1).categories == [.none])
        var options = MatchBitmap.Options()
        options.emitNone = false
        let bench = StageBench(try MatchBitmap.comparing(with: library, options))
        try bench.send(Bitmap(bits: 1), at: .zero)
        #expect(bench.drops == ["no_match"])
    }

    @Test("match_bitmap: the subject of a recognition is kept with the option subject")
    func subject() throws {
        let drawn = stroke([(0, 0), (70, 70)])
        var options = MatchBitmap.Options()
        options.subject = true
        let match = try MatchBitmap.comparing(with: library, options)
        #expect(try apply(match, to: try apply(Rasterize(), to: drawn)).subject == .stroke(drawn))
    }

    @Test("match_bitmap: bitmaps from elsewhere can be compared with bare patterns, but not with strokes")
    func withoutRasterize() throws {
        let patterns = GestureLibrary(gestures: [library.gestures[1]])
        let bare = context([], input: PortType(Bitmap.self))
        _ = try MatchBitmap.make(MatchBitmap.Options(), library: patterns, bare)
        #expect(bare.decoding.findings.diagnostics.isEmpty)
        let error = try #require(throws: PipelineError.self) {
            try MatchBitmap.make(MatchBitmap.Options(), library: library, bare)
        }
        #expect(error.code == "match.library_kind")
        #expect(error.message.contains("\"camera\"") && error.message.contains("bitmap"))
        var options = MatchBitmap.Options()
        options.categories.allowlist = ["frame"]
        _ = try MatchBitmap.make(options, library: library, bare)
    }

    @Test("match_bitmap: matchers of strokes refuse bare patterns and refer to match_bitmap")
    func otherMatchers() throws {
        let error = try #require(throws: PipelineError.self) {
            try Match.protractor(library, preparedBy: [Resample(points: 16), Normalize(scale: .none), Vectorize()])
        }
        #expect(error.code == "match.sample_refused")
        #expect(error.message == "\"frame\" holds bare bitmaps, which protractor cannot compare")
        #expect(error.help?.contains("match_bitmap") == true)
    }

    @Test("match_bitmap: options that contradict each other are findings")
    func options() throws {
        let yaml = "{ library: g.json, max_results: 0, category_allowlist: [a], category_denylist: [b] }"
        let findings = Findings()
        let context = DecodingContext(findings: findings, path: "", baseDirectory: ".")
        _ = MatchBitmap.Options.decode(try #require(ConfigNode.parse(yaml: yaml)), context)
        #expect(findings.diagnostics.map(\.code) == ["option.range", "option.conflict"])
    }

    @Test("match_bitmap: bitmaps with strokes are learned as strokes, others as distinct patterns")
    func learning() throws {
        var library = GestureLibrary()
        let withStroke = Bitmap(bits: 3, label: "a", subject: .stroke(stroke([(0, 0), (1, 1)], label: "a")))
        let frames = [withStroke, Bitmap(bits: 1, label: "a"), Bitmap(bits: 1, label: "a"), Bitmap(bits: 2)].map {
            Frame($0, at: .zero)
        }
        let counts = try library.importBitmaps(from: frames)
        #expect((counts.imported, counts.duplicates, counts.unlabeled) == (2, 1, 1))
        #expect(
            library.gestures == [.init(name: "a", kind: .bitmap, samples: [stroke([(0, 0), (1, 1)])], patterns: [1])])
        #expect(try library.importBitmaps(from: frames.suffix(1), as: "b").imported == 1)
        #expect(library.sampleCount == 3)
        var other = GestureLibrary(gestures: [.init(name: "a", samples: [stroke([(0, 0), (9, 9)])])])
        #expect(try other.merge(library) == 3)
        #expect(other["a"]?.kind == .bitmap && other["a"]?.sampleCount == 3)
        #expect(try other.merge(library) == 0)
    }
}
