import Foundation
import Pipeline
import PipelineTesting
import Testing

@testable import Connectors
@testable import Stages

@Suite("Libraries of hands")
struct HandLibraryTests {
    private var hand: Landmarks {
        var hand = ModelHand.open.seen(world: true)
        hand.confidences = (0..<21).map { Double($0) / 32 }
        (hand.handedness, hand.handednessScore, hand.score) = ("Left", 0.5, 0.25)
        return hand
    }

    @Test("Libraries of hands are read as they were written, flat hands and motions too")
    func roundTrip() throws {
        var flat = ModelHand.fist.seen()
        flat.hasDepth = false
        flat.points = flat.points.map { point($0.x, $0.y) }
        let library = GestureLibrary(gestures: [
            .init(name: "open", displayNames: ["de": "offen"], kind: .hand21, hands: [hand, flat]),
            .init(name: "bare", kind: .hand21),
            .init(name: "circle", kind: .motion, samples: [Stroke(samples: [Sample(x: 1, y: 2), Sample(x: 3, y: 4)])]),
        ])
        let json = try library.json()
        #expect(try GestureLibrary(json: json) == library)
        #expect(try GestureLibrary(json: json).json() == json)
    }

    @Test("Libraries of hands may have the samples before their kind")
    func order() throws {
        let points = (0..<42).map(String.init).joined(separator: ",")
        let text = #"{"version":1,"gestures":[{"samples":[{"pts":[POINTS]}],"kind":"hand21","name":"a"}]}"#
        let library = try GestureLibrary(json: Array(text.replacing("POINTS", with: points).utf8))
        #expect(library["a"]?.hands.first?.points[20] == point(40, 41))
        #expect(library["a"]?.hands.first?.hasDepth == false)
    }

    @Test(
        "Libraries of hands are refused if a sample does not have the form of its kind",
        arguments: [
            (#""kind":"hand21","samples":[{"pts":[1,2]}]"#, "landmarks.count"),
            (#""kind":"hand21","samples":[{"fields":"xyt","pts":[1,2,3]}]"#, "library.fields"),
            (#""kind":"hand21","samples":[{"pts":[1,2,3]}]"#, "library.count"),
            (#""kind":"hand21","samples":[{"start_us":0,"pts":[1,2]}]"#, "library.unknown_key"),
            (#""kind":"stroke","samples":[{"pts":[1,2],"handedness":"Left"}]"#, "library.unknown_key"),
            (#""kind":"hand21","samples":[{"topology":"pose33","pts":[1,2]}]"#, "landmarks.topology"),
        ])
    func wrong(body: String, code: String) {
        let error = #expect(throws: PipelineError.self) {
            try GestureLibrary(
                json: Array(#"{"version":1,"gestures":[{"name":"a",BODY}]}"#.replacing("BODY", with: body).utf8))
        }
        #expect(error?.code == code)
        #expect(error?.location == "line 1")
    }

    @Test(
        "Libraries of hands import the hands of a recording by their labels or under a name, without track and doubt"
    )
    func importing() throws {
        var labeled = hand
        (labeled.label, labeled.track, labeled.doubt) = ("open", 7, "landmarks")
        let frames = [Frame(Hands(hands: [labeled, hand]), at: .zero), Frame(Hands(hands: []), at: .zero)]
        var library = GestureLibrary()
        let counts = try library.importHands(from: frames)
        #expect((counts.imported, counts.unlabeled) == (1, 1))
        #expect(library.gestures == [.init(name: "open", kind: .hand21, hands: [hand])])
        #expect(try library.importHands(from: frames, as: "mine").imported == 2)
        let broken = Frame(Hands(hands: [Landmarks(points: [point(1, 2)])]), at: .zero)
        #expect(throws: PipelineError.self) { try library.importHands(from: [broken], as: "x") }
    }

    @Test("Libraries of hands do not mix strokes and hands in one gesture")
    func mixing() throws {
        var library = GestureLibrary(gestures: [.init(name: "a", kind: .hand21, hands: [hand])])
        let strokes = GestureLibrary(gestures: [.init(name: "a", samples: [egg()])])
        let frame = Frame(egg(), at: .zero)
        let errors = [
            #expect(throws: PipelineError.self) { try library.merge(strokes) },
            #expect(throws: PipelineError.self) { try library.importSamples(from: [frame], as: "a") },
            #expect(throws: PipelineError.self) { try library.importSamples(from: [frame], as: "a", kind: .motion) },
        ]
        #expect(errors.allSatisfy { $0?.code == "library.kind" && $0?.help != nil })
        #expect(
            try library.merge(
                GestureLibrary(gestures: [.init(name: "a", kind: .hand21, hands: [hand, ModelHand.fist.seen()])])) == 1)
    }

    @Test("Libraries of hands are refused in pipelines of strokes, and libraries of strokes in pipelines of hands")
    func pipelines() throws {
        let folder = try TemporaryFolder()
        let hands = "\(folder.path)/hands.json"
        let strokes = "\(folder.path)/strokes.json"
        try GestureLibrary(gestures: [.init(name: "a", kind: .hand21, hands: [hand])]).write(to: hands)
        try GestureLibrary(gestures: [.init(name: "a", samples: [egg()])]).write(to: strokes)
        func codes(_ library: String, _ source: String) -> [String] {
            findings(
                "  - vectorize\n  - match: { library: \(library), method: cosine }",
                source: "stdin: { kind: \(source) }"
            ).map(\.code)
        }
        #expect(codes(hands, "landmarks") == [])
        #expect(codes(strokes, "stroke") == [])
        #expect(codes(hands, "stroke") == ["match.library_kind"])
        #expect(codes(strokes, "landmarks") == ["match.library_kind"])
    }

    @Test("Libraries of hands are drawn as skeletons, in the terminal and as SVG")
    func drawing() {
        let text = GestureDrawing.text(hand, columns: 20, rows: 10)
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.count == 10 && lines.allSatisfy { $0.count <= 20 } && lines.allSatisfy { !$0.isEmpty })
        let svg = GestureDrawing.svg(.init(name: "open", kind: .hand21, hands: [hand, hand]))
        // 21 bones per hand: four of the thumb, three of each other finger, three between the knuckles, two sides of the palm.
        #expect(svg.components(separatedBy: "<polyline").count - 1 == 2 * 21)
        #expect(GestureDrawing.text(Landmarks(points: [])) == "")
    }
}
