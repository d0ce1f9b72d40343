import CKernels
import Pipeline

extension LandmarkSet {
    /// Checks that stages can process every set of landmarks; see ``Landmarks/check(_:)``.
    package func check(_ topology: Topology? = nil) throws { try forEach { try $0.check(topology) } }
}

extension Landmarks {
    /// Checks that stages can process the landmarks: that numbers are finite and not too large, that the lists have matching
    /// lengths, and that the landmarks have the given topology, if any. O(points).
    ///
    /// - Throws: A frame error: `landmarks.not_finite`, `landmarks.count` or `landmarks.topology`.
    package func check(_ topology: Topology? = nil) throws {
        guard points.areUsable, world.areUsable, confidences.areFinite, scoresAreFinite else {
            throw PipelineError.frame("landmarks.not_finite", "a landmark or a confidence is not finite or too large")
        }
        guard confidences.isEmpty || confidences.count == points.count, world.isEmpty || world.count == points.count
        else {
            throw PipelineError.frame(
                "landmarks.count",
                "\(points.count) landmarks have \(confidences.count) confidences and \(world.count) world positions"
            )
        }
        guard let topology else { return }
        guard self.topology == topology.identifier else {
            throw PipelineError.frame(
                "landmarks.topology", "expected landmarks of \(topology.identifier), found \(self.topology)",
                help: "set topology at the source")
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
    fileprivate var areUsable: Bool { withUnsafeBytes { $0.areUsableNumbers } }
}

extension [Double] {
    /// Whether all numbers are finite.
    fileprivate var areFinite: Bool { pk_are_within(self, count, .greatestFiniteMagnitude) != 0 }
}
