import Pipeline
import PipelineComponents

/// Passes the hands of a frame for which the detector is confident enough. Every hand has its own gate.
public struct GateHands: Stage {
    private let options: Gate.Options
    private let rule: GateRule
    /// The gate of every hand, and whether it has decided on the current frame.
    private var gates: [(key: Int, state: GateState, hasDecided: Bool)] = []
    private var keys = HandKeys()
    private var judgments: [GateRule.Judgment] = []
    private var output = Hands.empty
    private var hasWarned = false

    /// Creates a stage with a gate for each hand.
    ///
    /// - Throws: A configuration error for a landmark that the topology does not have.
    public init(_ options: Gate.Options, of topology: Topology = .hand21) throws {
        self = try BuildContext.made { GateHands(options, GateRule(options, topology, $0)) }
    }

    init(_ options: Gate.Options, _ rule: GateRule) {
        self.options = options
        self.rule = rule
    }

    /// - Throws: The errors of ``Gate``. If it throws, no gate has changed its state.
    public mutating func process(_ payload: Hands, _ header: borrowing Header, into emitter: borrowing Emitter<Hands>)
        throws
    {
        let hands = payload.hands
        judgments.removeAll(keepingCapacity: true)
        keys.begin()
        for hand in hands {
            let key = keys.add(hand.track)
            let isOpen = gates.first { $0.key == key }?.state.isOpen(at: header.timestamp) ?? false
            judgments.append(try rule.judge(hand, isOpen: isOpen))
        }
        if !hasWarned, let judgment = judgments.first(where: { $0.missingConfidence != nil }) {
            hasWarned = say(judgment.missingConfidence, header.stream, emitter)
        }
        output.hands.removeAll(keepingCapacity: true)
        for index in gates.indices { gates[index].hasDecided = false }
        for (place, hand) in hands.enumerated() {
            decide(keys.all[place], hand, judgments[place].reason, at: header.timestamp)
        }
        for index in gates.indices where !gates[index].hasDecided {
            decide(gates[index].key, nil, "low_presence", at: header.timestamp)
        }
        gates.removeAll { !$0.state.isOpen(at: header.timestamp) }
        emitter.emit(output)
    }

    private mutating func decide(_ key: Int, _ hand: Landmarks?, _ reason: DropReason?, at time: Timestamp) {
        let index: Int
        if let known = gates.firstIndex(where: { $0.key == key }) {
            index = known
        } else {
            index = gates.count
            gates.append((key, GateState(options), true))
        }
        gates[index].hasDecided = true
        switch gates[index].state.decide(reason, at: time) {
        case .pass:
            guard let hand else { return }
            if options.holdsLast { gates[index].state.keep(hand, at: time) }
            output.hands.append(hand)
        case .hold(let landmarks): output.hands.append(landmarks)
        case .fail(let reason):
            guard options.onFail == .mark, var marked = hand else { return }
            marked.doubt = reason.description
            output.hands.append(marked)
        }
    }
}
