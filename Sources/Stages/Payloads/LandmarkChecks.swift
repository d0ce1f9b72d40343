import Pipeline

extension LandmarkSet {
    /// Refuses what no stage can work on: see ``Landmarks/check(_:)``.
    package func check(_ topology: Topology? = nil) throws { try forEach { try $0.check(topology) } }
}

extension Landmarks {
    /// The largest coordinate that stages compute with: squares of such numbers stay finite.
    package static let largestMagnitude = 1e150

    /// Refuses what no stage can work on: numbers that are not finite or too large, lists that do not belong together, and,
    /// where a topology is given, landmarks of another. O(points).
    ///
    /// - Throws: A frame error, `landmarks.not_finite`, `landmarks.count` or `landmarks.topology`.
    package func check(_ topology: Topology? = nil) throws {
        guard points.areUsable, world.areUsable, confidences.allSatisfy(\.isFinite), scoresAreFinite else {
            throw PipelineError.frame("landmarks.not_finite", "a landmark or a confidence is not finite or too large")
        }
        guard confidences.isEmpty || confidences.count == points.count, world.isEmpty || world.count == points.count
        else {
            throw PipelineError.frame(
                "landmarks.count",
                "\(points.count) landmarks have \(confidences.count) confidences and \(world.count) places in the world"
            )
        }
        guard let topology else { return }
        guard self.topology == topology.identifier else {
            throw PipelineError.frame(
                "landmarks.topology", "expected landmarks of \(topology.identifier), found \(self.topology)",
                help: "say topology: at the source")
        }
        guard points.count == topology.points.count else {
            throw PipelineError.frame(
                "landmarks.count",
                "\(points.count) landmarks, and \(topology.name) has \(topology.points.count)")
        }
    }

    private var scoresAreFinite: Bool {
        (score ?? 0).isFinite && (presence ?? 0).isFinite && (handednessScore ?? 0).isFinite
    }
}

extension [Landmarks.Point] {
    /// Whether all numbers are finite and not too large, in one pass without branches: a number that is not, scaled up until
    /// it overflows, times zero is NaN, and a sum keeps it.
    fileprivate var areUsable: Bool {
        withUnsafeBufferPointer { points in
            let scale = Double.greatestFiniteMagnitude / Landmarks.largestMagnitude
            var (x, y, z) = (0.0, 0.0, 0.0)
            for point in points {
                x += point.x * scale * 0
                y += point.y * scale * 0
                z += point.z * scale * 0
            }
            return x + y + z == 0
        }
    }
}
