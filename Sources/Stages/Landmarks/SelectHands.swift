import Pipeline
import PipelineComponents

/// Selects hands of a frame, and landmarks of each.
public struct SelectHands: Stage {
    private let options: Select.Options
    private let points: PointChoice
    private var output = Hands.empty
    /// The indices of the selected hands of the current frame.
    private var kept: [Int] = []

    /// Creates a selection for hands and their landmarks.
    ///
    /// - Throws: A configuration error for a landmark that the topology does not have.
    public init(_ options: Select.Options, of topology: Topology = .hand21) throws {
        self = try BuildContext.made { SelectHands(options, PointChoice(options, topology, $0)) }
    }

    init(_ options: Select.Options, _ points: PointChoice) {
        self.options = options
        self.points = points
    }

    public func output(for input: PortType) -> PortType { points.output(for: input, as: Hands.self) }

    public mutating func process(_ hands: Hands, _ header: borrowing Header, into emitter: borrowing Emitter<Hands>)
        throws
    {
        choose(hands.hands)
        output.hands.resize(to: kept.count, filler: .empty)
        for (place, index) in kept.enumerated() {
            try points.take(hands.hands[index], into: &output.hands[place])
        }
        emitter.emit(output)
    }

    private mutating func choose(_ hands: [Landmarks]) {
        kept.removeAll(keepingCapacity: true)
        for (index, hand) in hands.enumerated()
        where (options.handedness?.fits(hand.handedness) ?? true) && (options.facing?.fits(hand) ?? true) {
            guard let limit = options.maxHands else {
                kept.append(index)
                continue
            }
            // Keep the best hands so far, best first; of equal scores, the earlier one comes first.
            let score = hand.score ?? -1
            let place = kept.firstIndex { (hands[$0].score ?? -1) < score } ?? kept.count
            kept.insert(index, at: place)
            if kept.count > limit { kept.removeLast() }
        }
    }
}
