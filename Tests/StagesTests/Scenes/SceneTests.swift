import Foundation
import Pipeline
import PipelineComponents
import Testing

@testable import Connectors
@testable import Stages

@Suite("Scenes for Foxglove")
struct SceneTests {
    /// The only entity of a scene, as decoded from its JSON.
    private struct Entity: Decodable {
        struct Time: Decodable, Equatable { let sec, nsec: Int }
        struct Place: Decodable, Equatable { let x, y, z: Double }
        struct Color: Decodable, Equatable { let r, g, b, a: Double }
        struct Pose: Decodable { let position: Place }
        struct Line: Decodable {
            let type: Int
            let thickness: Double
            let scale_invariant: Bool
            let points: [Place]
            let colors: [Color]
        }
        struct Sphere: Decodable {
            let pose: Pose
            let size: Place
            let color: Color
        }
        struct Words: Decodable {
            let text: String
            let pose: Pose
        }
        struct Update: Decodable { let entities: [Entity] }

        let timestamp: Time
        let id: String
        let lines: [Line]
        let spheres: [Sphere]
        let texts: [Words]
    }

    private func seen<P: WireEncodable>(
        _ payload: P, in scene: inout Scene, at time: UInt64 = 0
    ) throws -> Entity {
        var text = TextBuffer()
        scene.write(Frame(payload, at: .zero, stream: "pen", sequence: 0), at: time, into: &text)
        let update = try JSONDecoder().decode(Entity.Update.self, from: Data(text.bytes))
        #expect(update.entities.count == 1)
        return try #require(update.entities.first)
    }

    private func seen<P: WireEncodable>(_ payload: P, y: VerticalDirection = .down) throws -> Entity {
        var scene = Scene(yGrows: y)
        return try seen(payload, in: &scene)
    }

    private func samples(_ places: (Double, Double)...) -> [Sample] { places.map { Sample(x: $0.0, y: $0.1) } }

    private static let (orange, blue) = ([0.851, 0.282, 0.059], [0.098, 0.443, 0.761])

    private func rgb(_ color: Entity.Color) -> [Double] { [color.r, color.g, color.b] }

    // MARK: - Strokes

    @Test("Scenes: a stroke of three points is a line with y up, orange where it begins and blue where it ends")
    func stroke() throws {
        var scene = Scene()
        let stroke = Stroke(samples: samples((0, 0), (1, 10), (2, 5)), label: "tick")
        let entity = try seen(stroke, in: &scene, at: 1_700_000_000_000_000_123)
        #expect(entity.id == "pen")
        #expect(entity.timestamp == .init(sec: 1_700_000_000, nsec: 123))
        let line = try #require(entity.lines.first)
        #expect(entity.lines.count == 1 && entity.spheres.isEmpty)
        #expect(line.type == 0)
        #expect(line.scale_invariant && line.thickness == 3)
        #expect(line.points.map(\.x) == [0, 1, 2] && line.points.map(\.y) == [0, -10, -5])
        #expect(line.points.allSatisfy { $0.z == 0 })
        #expect(line.colors.map(rgb).first == Self.orange && line.colors.map(rgb).last == Self.blue)
        // The middle of the two colors: (0.851 + 0.098) / 2 and so on, but from values before rounding.
        #expect(rgb(line.colors[1]) == [0.475, 0.363, 0.41])
        #expect(entity.texts.map(\.text) == ["tick"])
        #expect(entity.texts.first?.pose.position == .init(x: 0, y: 0, z: 0))
    }

    @Test("Scenes: each stroke of a gesture is a line of its own")
    func strokes() throws {
        let entity = try seen(Stroke(samples: samples((0, 0), (1, 1), (5, 5), (6, 6), (7, 7)), counts: [2, 3]))
        #expect(entity.lines.map(\.points.count) == [2, 3])
        #expect(entity.lines.allSatisfy { $0.colors.count == $0.points.count })
        #expect(entity.lines.map { rgb($0.colors[0]) } == [Self.orange, Self.orange])
        #expect(entity.texts.isEmpty)
    }

    @Test("Scenes: y is not changed if it points up already")
    func upwards() throws {
        let entity = try seen(Stroke(samples: samples((0, 1), (1, 2))), y: .up)
        #expect(entity.lines.first?.points.map(\.y) == [1, 2])
    }

    @Test("Scenes: a stroke that is being drawn is shown up to its last point, until the next stroke begins")
    func pieces() throws {
        var scene = Scene()
        func shown(_ phase: Points.Phase, _ places: (Double, Double)...) throws -> [Double] {
            let points = Points(phase: phase, samples: places.map { Sample(x: $0.0, y: $0.1) })
            return try seen(points, in: &scene).lines.flatMap { $0.points.map(\.x) }
        }
        #expect(try shown(.begin, (0, 0), (1, 0)) == [0, 1])
        #expect(try shown(.move, (2, 0)) == [0, 1, 2])
        #expect(try shown(.end) == [0, 1, 2])
        #expect(try shown(.begin, (7, 0)) == [7])
        #expect(try shown(.cancel).isEmpty)
        // A piece that follows no `begin` starts a stroke.
        #expect(try shown(.move, (8, 0)) == [8])
        #expect(try shown(.end, (9, 0)) == [8, 9])
        #expect(try shown(.move, (5, 0)) == [5])
    }

    @Test("Scenes: a long stroke is shown from its first to its last point with at most 256 points")
    func long() throws {
        var scene = Scene()
        for number in 0..<1200 {
            let piece = Points(phase: number == 0 ? .begin : .move, samples: [Sample(x: Double(number), y: 0)])
            let places = try seen(piece, in: &scene).lines.flatMap { $0.points.map(\.x) }
            #expect(places.count <= 256)
            #expect(places.first == 0 && places.last == Double(number))
            #expect(places == places.sorted() && places.count >= min(number + 1, 128))
        }
    }

    @Test("Scenes: ink is a line with the mean width of its points, in the unit of their coordinates")
    func ink() throws {
        let points = [Ink.Point(x: 0, y: 0, width: 2), Ink.Point(x: 4, y: 3, width: 4)]
        let line = try #require(try seen(Ink(points: points)).lines.first)
        #expect(line.thickness == 3 && !line.scale_invariant)
        #expect(line.points.map(\.x) == [0, 4] && line.points.map(\.y) == [0, -3])
    }

    // MARK: - Hands

    /// Returns a hand whose point `n` is at (n, 2n, 3n).
    private func hand(_ handedness: String?, confidences: [Double] = []) -> Landmarks {
        let points = (0..<21).map { number in
            let x = Double(number)
            return Landmarks.Point(x: x, y: 2 * x, z: 3 * x)
        }
        return Landmarks(points: points, confidences: confidences, handedness: handedness)
    }

    @Test("Scenes: a hand has 21 balls and 21 bones, with y up and z toward the viewer")
    func bones() throws {
        let entity = try seen(hand("Right"))
        #expect(entity.spheres.count == 21)
        for (number, sphere) in entity.spheres.enumerated() {
            let x = Double(number)
            #expect(sphere.pose.position == Entity.Place(x: x, y: -2 * x, z: -3 * x))
            // The diameter of a ball is 3 % of the hand's larger side, which is 40.
            #expect(sphere.size == Entity.Place(x: 1.2, y: 1.2, z: 1.2))
        }
        let line = try #require(entity.lines.first)
        #expect(entity.lines.count == 1 && line.type == 2)
        let ends = line.points.map { Int($0.x) }
        let bones = Set(
            stride(from: 0, to: ends.count, by: 2).map { (place: Int) -> Set<Int> in
                [ends[place], ends[place + 1]]
            })
        // MediaPipe's HAND_CONNECTIONS.
        let wanted: [(Int, Int)] = [
            (0, 1), (1, 2), (2, 3), (3, 4), (0, 5), (5, 6), (6, 7), (7, 8), (5, 9), (9, 10), (10, 11), (11, 12),
            (9, 13), (13, 14), (14, 15), (15, 16), (13, 17), (0, 17), (17, 18), (18, 19), (19, 20),
        ]
        #expect(bones == Set(wanted.map { (bone: (Int, Int)) -> Set<Int> in [bone.0, bone.1] }))
        #expect(ends.count == 42)
        #expect(entity.texts.map(\.text) == ["Right"])
    }

    @Test("Scenes: left and right have different colors, and points of low confidence are pale")
    func colors() throws {
        var sure = [Double](repeating: 0.9, count: 21)
        sure[8] = 0.2
        let hands = Hands(hands: [hand("Left", confidences: sure), hand("Right")])
        let entity = try seen(hands)
        #expect(entity.lines.count == 2 && entity.spheres.count == 42)
        #expect(Set(entity.lines[0].colors.map(rgb)) == [Self.orange])
        #expect(Set(entity.lines[1].colors.map(rgb)) == [Self.blue])
        #expect(Set(entity.spheres.prefix(21).map { rgb($0.color) }) == [Self.orange])
        #expect(Set(entity.spheres.suffix(21).map { rgb($0.color) }) == [Self.blue])
        #expect(entity.spheres.indices.filter { entity.spheres[$0].color.a < 1 } == [8])
        let pale = entity.lines[0].points.indices.filter { entity.lines[0].colors[$0].a < 1 }
        #expect(pale.map { entity.lines[0].points[$0].x } == [7, 8])
    }

    @Test("Scenes: a body has the bones of its topology, and its left arm another color than its right")
    func body() throws {
        let body = Landmarks(topology: "pose17", points: (0..<17).map { .init(x: Double($0), y: 0) })
        let entity = try seen(body)
        #expect(entity.spheres.count == 17)
        #expect(entity.spheres[9].color != entity.spheres[10].color)
        let line = try #require(entity.lines.first)
        let ends = line.points.map(\.x)
        // Left elbow and wrist, and no line between the wrists.
        let pairs = stride(from: 0, to: ends.count, by: 2).map { (place: Int) -> [Double] in
            [ends[place], ends[place + 1]].sorted()
        }
        #expect(pairs.contains([7, 9]) && !pairs.contains([9, 10]))
    }

    @Test("Scenes: results show the names of gestures")
    func results() throws {
        let thumb = Recognition.Category(name: "Thumb_Up", index: 0, score: 0.9)
        let entity = try seen(HandResults(hands: [.init(landmarks: hand("Left"), gestures: [thumb])]))
        #expect(entity.texts.map(\.text) == ["Left Thumb_Up"])
    }

    @Test("Scenes: a frame without a drawable hand removes the previous hand")
    func nothing() throws {
        var scene = Scene()
        #expect(try !seen(Hands(hands: [hand(nil)]), in: &scene).spheres.isEmpty)
        for hands in [[], [hand(nil), Landmarks(points: [.init(x: .nan, y: 0)])]] {
            let entity = try seen(Hands(hands: hands), in: &scene)
            #expect(entity.lines.isEmpty && entity.spheres.isEmpty && entity.texts.isEmpty)
        }
    }

    @Test("Scenes: a single landmark is a ball of visible size")
    func point() throws {
        let entity = try seen(Landmarks(topology: "tip(tip)", points: [.init(x: 5, y: 5)]))
        #expect(entity.lines.isEmpty)
        #expect(entity.spheres.map(\.size.x) == [0.03])
    }

    @Test("Scenes: a file sink for vectors with the option scene is an error")
    func refused() {
        var options = FileSink.Options()
        options.path = OutputPath("a.mcap")
        options.scene = true
        #expect {
            try FileSink.make(options, for: PortType(FeatureVector.self), BuildContext())
        } throws: {
            ($0 as? PipelineError)?.code == "file.no_scene"
        }
    }
}
