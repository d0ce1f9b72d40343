import Pipeline

/// The source that ``SyntheticSource`` creates for hands, for one payload type.
struct DrawnHands<P: Payload>: Source {
    typealias Output = P

    /// A camera with its scene, and its number in stream names.
    private struct Camera: Sendable {
        var scene: HandScene
        var number: Int
    }

    private let options: SyntheticSource.Options
    private let cut: @Sendable (inout [Frame<P>], _ camera: Int, Timestamp, [HandScene.Seen]) -> Void
    private let hz: Double
    private var cameras: [Camera]
    /// The number of frames that each camera has taken.
    private var taken = 0
    private var counters = StreamCounters()
    private var dispenser: FrameDispenser<P>

    let output: PortType

    /// Creates a source of rendered hands. `cut` appends frames for the hands that one camera sees at one time.
    init(
        _ options: SyntheticSource.Options,
        cut: @escaping @Sendable (inout [Frame<P>], _ camera: Int, Timestamp, [HandScene.Seen]) -> Void
    ) {
        self.options = options
        self.cut = cut
        hz = options.sampleHz ?? 30
        let script = HandScene.Script(
            hands: options.hands, gestures: options.gestures, secondsPerGesture: 1 / options.rateHz,
            noise: options.noise, dropouts: options.dropouts)
        cameras = (0..<options.streams).map {
            Camera(scene: HandScene(script, seed: UInt64(clamping: options.seed) &+ UInt64($0)), number: $0 + 1)
        }
        dispenser = FrameDispenser(options.rate)
        output = PortType(
            P.self,
            attributes: [
                "space": CoordinateSpace.normalized.rawValue, "y": VerticalDirection.down.rawValue,
                "topology": Topology.hand21.identifier,
            ])
    }

    var timing: SourceTiming { options.rate == .max ? .recorded : .live }

    mutating func open(_ context: SourceContext) async throws { dispenser.open(context) }

    mutating func read(into batch: inout SourceBatch<P>) async throws -> Bool {
        while try await dispenser.dispense(into: &batch) {
            let seconds = Double(taken) / hz
            guard options.count == 0 || seconds * options.rateHz < Double(options.count) else { return !batch.isEmpty }
            let time = Timestamp(rawValue: Int64((seconds * 1e6).rounded()))
            for index in cameras.indices {
                let seen = cameras[index].scene.frame(at: seconds)
                cut(&dispenser.ready, cameras[index].number, time, seen)
            }
            for index in dispenser.ready.indices {
                dispenser.ready[index].sequence = counters.next(of: dispenser.ready[index].stream)
            }
            taken += 1
        }
        return dispenser.hasMore
    }
}

extension DrawnHands where P == Hands {
    /// Appends all hands of a camera in one frame, possibly none.
    static func together(_ frames: inout [Frame<Hands>], _ camera: Int, _ time: Timestamp, _ seen: [HandScene.Seen]) {
        frames.append(Frame(Hands(hands: seen.map(\.landmarks)), at: time, stream: StreamID("camera/\(camera)")))
    }
}

extension DrawnHands where P == Landmarks {
    /// Appends every hand as a frame in a stream of its own.
    static func apart(_ frames: inout [Frame<Landmarks>], _ camera: Int, _ time: Timestamp, _ seen: [HandScene.Seen]) {
        for hand in seen {
            frames.append(
                Frame(
                    hand.landmarks, at: time,
                    stream: StreamID("hand/\(camera)/\(hand.landmarks.handedness?.lowercased() ?? "hand")")))
        }
    }
}
