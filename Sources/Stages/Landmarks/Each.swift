import Pipeline
import PipelineComponents

/// Runs stages on every hand of a frame, and combines their outputs into one result, as MediaPipe's gesture recognizer does.
public enum Each: StageComponent {
    public struct Options: ComponentOptions {
        @Option(
            "Stages to run on every hand, in order, written as at the top level. The last one emits recognition or landmarks.",
            isRequired: true, example: "[gate, smooth]")
        public var stages = StageList()

        @Option(
            "Stream time that a hand may be absent before its instance of the stages is discarded.",
            in: 0...3_600_000)
        public var idleMs = 1000.0

        public init() {}
    }

    public static let manifest = Manifest(
        name: "each",
        summary: "Runs a separate instance of stages on every hand of a frame",
        details: """
            Every hand has its own instance of the stages. The instance belongs to the hand's track (assigned by `track`) or, \
            without one, to its index in the list. It is discarded when the hand has been absent for `idle_ms`. Every frame gives \
            one result with the same timestamp, which is empty if there are no hands. For each hand, the result contains its \
            landmarks, its handedness and its gestures: the categories of the recognition that its stages emitted.

            The first stages, from landmarks to landmarks, decide whether a hand is in the result: a hand that `gate` drops is \
            not. The result contains the landmarks that these stages emit (smoothed, for example). If one of these stages \
            converts to another space to prepare the recognition, the result contains the landmarks from before the \
            conversion. A hand without a recognition, because `debounce` \
            still waits or nothing fires, is in the result without gestures. If there are several recognitions in one frame, the \
            last one counts. What stages emit between frames, at the end of the stream, or when their hand is discarded, is a \
            result of its own, with only the hands concerned. If such a hand is not in the frame before, it has its last \
            landmarks.

            If a stage cannot process a hand, the frame fails and all stages start over; with `on_error: skip` at the stage, only \
            the hand is dropped there. A hand dropped after the first stages stays in the result without gestures. The ledger \
            counts frames at `each` and hands at its stages (`each.gate`): each hand was passed on, absorbed, dropped or failed, \
            and a dropped hand is not a dropped frame.
            """,
        example: """
            version: 1
            name: each-example
            sources:
              - stdin: { kind: hands }
            stages:
              - each:
                  stages:
                    - gate: { landmarks: { threshold: 0.3 } }
                    - smooth: { min_cutoff_hz: 1.2, beta: 0.3 }
                    - thumb_swipe
            sinks:
              - stdout
            """)

    public static let makes = Production.of(HandResults.self)

    public static func accepts(_ options: Options) -> Acceptance { .one(of: [PortType(Hands.self)]) }

    public static func make(_ options: Options, for input: PortType, _ context: BuildContext) throws -> any Stage {
        let element = PortType(Landmarks.self, attributes: input.attributes)
        let ports = [PortType(Recognition.self), PortType(Landmarks.self)]
        // `chain` reports every error of the stages. The stage is created even if there are errors, so that the rest of the graph
        // can be checked too: the output type does not depend on the stages.
        let chain =
            context.chain(of: options.stages, taking: element, making: ports) ?? NestedChain(taking: element)
        return chain.output.payload is Landmarks.Type
            ? EachLandmarks(hands: EachHand(options, chain)) : EachRecognition(hands: EachHand(options, chain))
    }

    /// Creates the stage for use without a configuration, with stages that recognize.
    ///
    /// - Parameters:
    ///   - stages: The stages that each hand passes through.
    ///   - options: All other options. `stages` is ignored.
    public static func hand(
        _ stages: StageChain<Landmarks, Recognition>, _ options: Options = Options()
    ) -> some Stage<Hands, HandResults> {
        EachRecognition(hands: EachHand(options, NestedChain(stages)))
    }

    /// Creates the stage for use without a configuration, with stages that only process landmarks.
    public static func hand(
        _ stages: StageChain<Landmarks, Landmarks>, _ options: Options = Options()
    ) -> some Stage<Hands, HandResults> {
        EachLandmarks(hands: EachHand(options, NestedChain(stages)))
    }
}

/// A payload that the stages of a hand can emit.
protocol HandFinding: Payload {
    /// Adds the payload to the result of the hand.
    func add(to hand: inout HandResults.Hand)
}

extension Recognition: HandFinding {
    func add(to hand: inout HandResults.Hand) { hand.gestures = categories }
}

extension Landmarks: HandFinding {
    func add(to hand: inout HandResults.Hand) { hand.landmarks = self }
}

/// Runs stages on the hands of one stream.
// A generic stage would look up its types for every frame. The two stages that conform are compiled for the payload that they find.
protocol EachStage: NestingStage where Input == Hands, Output == HandResults {
    associatedtype Found: HandFinding
    var hands: EachHand<Found> { get set }
}

struct EachRecognition: EachStage {
    var hands: EachHand<Recognition>
}

struct EachLandmarks: EachStage {
    var hands: EachHand<Landmarks>
}

extension EachStage {
    var chain: NestedChain { hands.chain }
    var heldSince: Timestamp? { hands.heldSince }

    mutating func connect(_ host: ChainHost) { hands.connect(host) }

    func output(for input: PortType) -> PortType { hands.output(for: input) }

    /// - Throws: A frame error for numbers that are not finite and for more than 1,000 hands (`each.too_many`), and the error
    ///   of a stage. After the error of a stage, all stages start over.
    mutating func process(
        _ payload: Hands, _ header: borrowing Header, into emitter: borrowing Emitter<HandResults>
    ) throws {
        try hands.process(payload, header, into: emitter)
    }

    mutating func wake(at time: Timestamp, into emitter: borrowing Emitter<HandResults>) throws {
        try hands.wake(at: time, into: emitter)
    }

    mutating func finish(into emitter: borrowing Emitter<HandResults>) throws { try hands.finish(into: emitter) }
}

/// The stages of every hand of one stream, and what they found.
struct EachHand<Found: HandFinding>: Sendable {
    let chain: NestedChain
    private let idle: Int64
    private var host: ChainHost?
    private var chains: ElementChains<Landmarks, Found>?
    /// The latest output, and the keys of its hands.
    private var output = HandResults(hands: [])
    private var given: [Int] = []
    /// The hands that were in an earlier result but are not in the latest one, with their last landmarks and the time since when
    /// they are absent. Their stages may still emit something.
    private var absent: [Int: (landmarks: Landmarks, since: Timestamp)] = [:]
    /// The keys of the hands of the frame, whether they are in the result or not.
    private var keys = HandKeys()
    /// The keys of the hands of the result before. The memory is reused.
    private var before: [Int] = []
    private var nextWake: Timestamp?
    private var hasWarned = false

    /// The maximum number of hands in a frame. No camera sees that many.
    private static var mostHands: Int { 1000 }

    init(_ options: Each.Options, _ chain: NestedChain) {
        self.chain = chain
        idle = Int64(options.idleMs * 1000)
    }

    mutating func connect(_ host: ChainHost) { self.host = host }

    var heldSince: Timestamp? { chains?.heldSince }

    func output(for input: PortType) -> PortType {
        let isGiven = Found.self == Landmarks.self
        return PortType(HandResults.self, attributes: isGiven ? chain.output.attributes : input.attributes)
    }

    mutating func process(
        _ payload: Hands, _ header: borrowing Header, into emitter: borrowing Emitter<HandResults>
    ) throws {
        let hands = payload.hands
        guard hands.count <= Self.mostHands else {
            throw PipelineError.frame("each.too_many", "\(hands.count) hands, but \(Self.mostHands) are the limit")
        }
        try payload.check()
        let chains = try chains(header.stream)
        do {
            let idleSince = header.timestamp.advanced(byMicroseconds: -idle)
            try emitBetweenFrames(emitter) { body in try chains.end(unusedSince: idleSince, body) }
            noteAbsent(hands, at: header.timestamp, idleSince)
            // References held any longer would keep upstream stages from reusing the memory.
            output.hands.removeAll(keepingCapacity: true)
            swap(&before, &given)
            given.removeAll(keepingCapacity: true)
            // By index, because a variable for the hand would be one more copy of it.
            for (index, key) in keys.all.enumerated() {
                // A key below −1 belongs to a hand without a track of its own that is not the first of its frame. The first
                // hand gives no warning, because a hand that is alone in its frame cannot be confused with another one.
                if !hasWarned, key < -1 { warnOfMissingTracks(header.stream, emitter) }
                let outcome = try chains.run(hands[index], of: key, in: header)
                guard outcome.isThere else {
                    if before.contains(key) {
                        absent[key] = (hands[index], header.timestamp)
                    } else if !absent.isEmpty {
                        absent[key]?.since = header.timestamp
                    }
                    continue
                }
                if !absent.isEmpty { absent[key] = nil }
                output.hands.append(.init(landmarks: outcome.kept ?? hands[index]))
                outcome.output?.add(to: &output.hands[given.count])
                given.append(key)
            }
        } catch {
            reset()
            emitter.wake(at: nil)
            throw error
        }
        requestWake(chains, emitter)
        emitter.emit(output)
    }

    mutating func wake(at time: Timestamp, into emitter: borrowing Emitter<HandResults>) throws {
        nextWake = nil
        guard let chains else { return }
        try emitBetweenFrames(emitter) { body in try chains.wake(at: time, body) }
        requestWake(chains, emitter)
    }

    mutating func finish(into emitter: borrowing Emitter<HandResults>) throws {
        guard let chains else { return }
        try emitBetweenFrames(emitter) { body in try chains.end(unusedSince: nil, body) }
    }

    /// Determines the keys of a frame's hands, and keeps the landmarks of the hands that have disappeared.
    private mutating func noteAbsent(_ hands: [Landmarks], at time: Timestamp, _ idleSince: Timestamp) {
        keys.begin()
        for index in hands.indices { _ = keys.add(hands[index].track) }
        for (place, key) in given.enumerated() where !keys.all.contains(key) {
            absent[key] = (output.hands[place].landmarks, time)
        }
        if absent.contains(where: { $0.value.since < idleSince }) {
            absent = absent.filter { $0.value.since >= idleSince }
        }
    }

    /// Emits what the stages output between frames: on a wake-up, when a hand has been absent for too long, or at the end of the
    /// stream.
    private mutating func emitBetweenFrames(
        _ emitter: borrowing Emitter<HandResults>, _ run: ((Int, Found) -> Void) throws -> Void
    ) throws {
        var woken = HandResults(hands: [])
        var places: [Int] = []
        do {
            try run { key, found in
                let known = given.firstIndex(of: key).map { output.hands[$0].landmarks }
                guard let landmarks = known ?? absent[key]?.landmarks else { return }
                let place = places.firstIndex(of: key) ?? places.count
                if place == places.count {
                    places.append(key)
                    woken.hands.append(.init(landmarks: landmarks))
                }
                found.add(to: &woken.hands[place])
            }
        } catch {
            reset()
            throw error
        }
        if !woken.hands.isEmpty { emitter.emit(woken) }
    }

    private mutating func chains(_ stream: StreamID) throws -> ElementChains<Landmarks, Found> {
        if let chains { return chains }
        guard let host else {
            throw PipelineError(.defect, "each.not_connected", "the stages are not connected")
        }
        let made = ElementChains<Landmarks, Found>(host, chain, stream: stream, limit: Self.mostHands)
        chains = made
        return made
    }

    private mutating func requestWake(
        _ chains: ElementChains<Landmarks, Found>, _ emitter: borrowing Emitter<HandResults>
    ) {
        let next = chains.nextWake
        guard next != nextWake else { return }
        nextWake = next
        emitter.wake(at: next)
    }

    private mutating func reset() {
        chains?.reset()
        nextWake = nil
        given.removeAll(keepingCapacity: true)
        absent.removeAll(keepingCapacity: true)
    }

    private mutating func warnOfMissingTracks(_ stream: StreamID, _ emitter: borrowing Emitter<HandResults>) {
        hasWarned = true
        emitter.logOnce(
            .warning, about: "track",
            "each: hands of \(stream.name) have no track, so they are told apart by their index: put track before this stage"
        )
    }
}
