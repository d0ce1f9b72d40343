import Pipeline
import PipelineComponents

/// A choice of points of a topology.
struct PointChoice: Sendable {
    /// The topology of the input.
    let topology: Topology

    /// The topology of the output.
    let part: Topology

    /// The indices of the chosen points, in order; `nil` for all.
    private let places: [Int]?

    /// Resolves the options, and reports points that the topology does not have.
    init(_ options: Select.Options, _ topology: Topology, _ context: BuildContext) {
        self.topology = topology
        if options.topology != nil {
            let names = Topology.pose17.points
            places = names.compactMap { topology.place(of: $0) }
            part = .pose17
            if places?.count != names.count {
                context.report(
                    .error, "select.topology", "\(topology.identifier) does not have the points of pose17",
                    option: "topology")
            }
        } else if !options.landmarks.isEmpty {
            let named = options.landmarks.places(in: topology, context)
            places = named
            part = topology.part(named)
        } else {
            places = nil
            part = topology
        }
    }

    /// Whether all points are chosen, whatever the topology.
    var isWhole: Bool { places == nil }

    /// Returns the type of the stage's output.
    func output<P: LandmarkSet>(for input: PortType, as payload: P.Type) -> PortType {
        var attributes = input.attributes
        if places != nil { attributes["topology"] = part.identifier }
        return PortType(P.self, attributes: attributes)
    }

    /// Copies the chosen points of `old`. O(points).
    ///
    /// - Throws: A frame error for landmarks of another topology, and for numbers that are not finite.
    func take(_ old: Landmarks, into new: inout Landmarks) throws {
        guard let places else {
            try old.check()
            new = old
            return
        }
        try old.check(topology)
        new.copyHeader(of: old)
        new.topology = part.identifier
        new.points.removeAll(keepingCapacity: true)
        new.confidences.removeAll(keepingCapacity: true)
        new.world.removeAll(keepingCapacity: true)
        for place in places {
            new.points.append(old.points[place])
            if !old.confidences.isEmpty { new.confidences.append(old.confidences[place]) }
            if !old.world.isEmpty { new.world.append(old.world[place]) }
        }
    }
}
