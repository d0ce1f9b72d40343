import Pipeline
import Stages

extension Stroke: ScenePayload {
    package func show(in scene: inout Scene, of stream: StreamID) throws {
        try check()
        for range in strokeRanges { scene.addStroke(samples[range].map { scene.place($0.x, $0.y) }) }
        scene.add(label, at: samples.first.map { scene.place($0.x, $0.y) })
    }
}

extension Points: ScenePayload {
    package func show(in scene: inout Scene, of stream: StreamID) throws {
        try check()
        let points = scene.extend(stream, phase.ink, by: samples.map { Ink.Point(x: $0.x, y: $0.y) })
        scene.addStroke(points.map { scene.place($0.x, $0.y) })
    }
}

extension Ink: ScenePayload {
    package func show(in scene: inout Scene, of stream: StreamID) throws {
        try check()
        if phase == .whole {
            for range in strokeRanges { Self.add(points[range], to: &scene) }
            scene.add(label, at: points.first.map { scene.place($0.x, $0.y) })
        } else {
            Self.add(scene.extend(stream, phase, by: points)[...], to: &scene)
        }
    }

    /// Adds a line with the average width of the stroke. A line of a scene cannot have several widths.
    private static func add(_ points: ArraySlice<Point>, to scene: inout Scene) {
        let width = points.reduce(0) { $0 + $1.width / Double(points.count) }
        scene.addStroke(points.map { scene.place($0.x, $0.y) }, thickness: width > 0 ? width : nil)
    }
}

extension Landmarks: ScenePayload {
    package func show(in scene: inout Scene, of stream: StreamID) throws { try scene.add(self, named: title) }
}

extension Hands: ScenePayload {
    package func show(in scene: inout Scene, of stream: StreamID) throws {
        for hand in hands { try scene.add(hand, named: hand.title) }
    }
}

extension HandResults: ScenePayload {
    package func show(in scene: inout Scene, of stream: StreamID) throws {
        for hand in hands { try scene.add(hand.landmarks, named: hand.title) }
    }
}
