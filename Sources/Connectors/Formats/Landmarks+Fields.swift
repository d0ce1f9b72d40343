import Pipeline
import Stages

extension FieldMessage {
    /// Fills blank landmarks with a set of points.
    ///
    /// - Throws: A frame error if the topology has another number of points, or if the message contradicts the declared traits.
    // Both values are modified in place, because a copy of either would retain every reference in it.
    fileprivate mutating func fill(_ hand: inout Landmarks, of set: Int, isHand: Bool) throws(PipelineError) {
        hand.points = places(isOfWorld ? sets[set].world : sets[set].seen)
        let count = hand.points.count
        hand.topology = try topology(of: count, set, isHand: isHand)
        hand.confidences = isOfWorld ? sets[set].world.confidences : []
        if hand.confidences.isEmpty { hand.confidences = sets[set].confidences }
        if hand.confidences.isEmpty { hand.confidences = sets[set].seen.confidences }
        if hand.confidences.count == 1 { hand.confidences = [Double](repeating: hand.confidences[0], count: count) }
        guard hand.confidences.isEmpty || hand.confidences.count == count else {
            throw .frame("decode.count", "\(hand.confidences.count) confidences for \(count) landmarks")
        }
        if !isOfWorld, sets[set].world.count > 0, !sets[set].world.isUndetected { hand.world = places(sets[set].world) }
        guard hand.world.isEmpty || hand.world.count == count else {
            throw .frame("decode.count", "\(hand.world.count) world positions for \(count) landmarks")
        }
        hand.handedness =
            switch sets[set].field {
            case .left: "Left"
            case .right: "Right"
            default: sets[set].handedness
            }
        hand.space = traits.space?.rawValue ?? sets[set].space
        if let found = sets[set].space, found != hand.space {
            throw .frame("decode.space", "\"space\": expected \"\(hand.space ?? "")\", found \(quote(found))")
        }
        hand.hasDepth = isOfWorld || sets[set].seen.layout.contains(.z)
        hand.handednessScore = sets[set].handednessScore
        hand.score = sets[set].score
        hand.presence = sets[set].presence
        hand.track = sets[set].track
        hand.doubt = sets[set].doubt
        hand.label = sets[set].label ?? label
    }

    /// Returns points as positions.
    private mutating func places(_ points: PointList) -> [Landmarks.Point] {
        reusedPoints.points(from: points.numbers, points.layout)
    }

    private mutating func topology(of count: Int, _ set: Int, isHand: Bool) throws(PipelineError) -> String {
        if let found = sets[set].topology {
            guard let told = traits.topology?.topology else { return found }
            guard found == told.identifier || found == told.name else {
                throw .frame(
                    "decode.topology", "\"topology\": expected \"\(told.identifier)\", found \(quote(found))")
            }
            return told.identifier
        }
        if let told = traits.topology?.topology ?? (isHand ? .hand21 : nil) {
            guard told.points.count == count else {
                throw .frame(
                    "decode.count", "\(count) landmarks, but \(told.identifier) has \(told.points.count)",
                    help:
                        "set topology to the landmarks that there are, and fields to the meaning of each landmark's numbers"
                )
            }
            return told.identifier
        }
        guard let known = Topology.standard.first(where: { $0.points.count == count }) else {
            throw .frame(
                "decode.topology", "the topology of the \(count) points is unknown",
                help: "set topology to a name or to the points: \"tool(tip, middle, end)\"")
        }
        return known.identifier
    }
}

extension Landmarks {
    public static var _mapping: (@Sendable (inout FieldMessage) throws(PipelineError) -> Landmarks?)? {
        { message throws(PipelineError) in
            var first: Int?
            for set in 0..<message.setCount where message.isDetected(set) {
                if first == nil { first = set } else { message.setsLeftOut += 1 }
            }
            guard let first else { return nil }
            var landmarks = _blank
            try message.fill(&landmarks, of: first, isHand: false)
            return landmarks
        }
    }
}

extension Hands {
    public static var _mapping: (@Sendable (inout FieldMessage) throws(PipelineError) -> Hands?)? {
        { message throws(PipelineError) in
            var hands: [Landmarks] = []
            hands.reserveCapacity(message.setCount)
            for set in 0..<message.setCount where message.isDetected(set) {
                hands.append(Landmarks._blank)
                try message.fill(&hands[hands.count - 1], of: set, isHand: true)
            }
            return Hands(hands: hands)
        }
    }
}
