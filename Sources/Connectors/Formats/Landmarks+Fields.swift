import Pipeline
import Stages

extension Landmarks {
    /// Creates landmarks from a set of points.
    ///
    /// - Throws: A frame error if the number of points is not that of the topology, or if the message contradicts the declared
    ///   traits.
    fileprivate init(_ set: PointSet, _ message: FieldMessage, isHand: Bool) throws(PipelineError) {
        let points = message.isOfWorld ? set.world : set.seen
        let count = points.points.count
        let topology = try Self.topology(of: count, set, message, isHand: isHand)
        var confidences = message.isOfWorld ? set.world.confidences : []
        if confidences.isEmpty { confidences = set.pointConfidences }
        if confidences.count == 1 { confidences = [Double](repeating: confidences[0], count: count) }
        guard confidences.isEmpty || confidences.count == count else {
            throw .frame("decode.count", "\(confidences.count) confidences for \(count) landmarks")
        }
        let world = message.isOfWorld || set.world.isUnseen ? [] : set.world.places
        guard world.isEmpty || world.count == count else {
            throw .frame("decode.count", "\(world.count) places in the world for \(count) landmarks")
        }
        let side: String? =
            switch set.field {
            case .left: "Left"
            case .right: "Right"
            default: set.handedness
            }
        let space = message.traits.space?.rawValue
        if let space, let found = set.space, found != space {
            throw .frame("decode.space", "\"space\": expected \"\(space)\", found \(quote(found))")
        }
        self.init(
            topology: topology, space: space ?? set.space, points: points.places,
            hasDepth: message.isOfWorld || points.known.contains(.z), confidences: confidences, world: world,
            handedness: side, handednessScore: set.handednessScore, score: set.score, presence: set.presence,
            track: set.track, doubt: set.doubt, label: set.label ?? message.label)
    }

    private static func topology(
        of count: Int, _ set: PointSet, _ message: FieldMessage, isHand: Bool
    ) throws(PipelineError) -> String {
        if let found = set.topology {
            guard let told = message.traits.topology?.topology else { return found }
            guard found == told.identifier || found == told.name else {
                throw .frame(
                    "decode.topology", "\"topology\": expected \"\(told.identifier)\", found \(quote(found))")
            }
            return told.identifier
        }
        if let told = message.traits.topology?.topology ?? (isHand ? .hand21 : nil) {
            guard told.points.count == count else {
                throw .frame(
                    "decode.count", "\(count) landmarks, and \(told.identifier) has \(told.points.count)",
                    help: "topology: says which landmarks there are, fields: what the numbers of each are")
            }
            return told.identifier
        }
        guard let known = Topology.standard.first(where: { $0.points.count == count }) else {
            throw .frame(
                "decode.topology", "nothing says which landmarks the \(count) points are",
                help: "say topology:, with a name or with the points: \"tool(tip, middle, end)\"")
        }
        return known.identifier
    }
}

extension Landmarks {
    public static var _canBeMapped: Bool { true }

    public init?(_ message: FieldMessage) throws(PipelineError) {
        for set in message.sets[0..<message.setCount] where message.isSeen(set) {
            try self.init(set, message, isHand: false)
            return
        }
        return nil
    }
}

extension Hands {
    public static var _canBeMapped: Bool { true }

    public init?(_ message: FieldMessage) throws(PipelineError) {
        var hands: [Landmarks] = []
        for set in message.sets[0..<message.setCount] where message.isSeen(set) {
            hands.append(try Landmarks(set, message, isHand: true))
        }
        self.init(hands: hands)
    }
}
