import Pipeline
import PipelineComponents

/// Assigns every hand an identity that it keeps from frame to frame, through short losses and when hands cross.
public struct Track: Stage {
    private let options: Track.Options
    private var tracks: [HandTrack] = []
    private var lastID = 0
    private var assignment = Assignment()
    /// The hands of the current frame; `nil` for a hand without points.
    private var seen: [SeenHand?] = []
    private var output = Hands.empty

    /// The maximum number of hands in a frame (no camera sees that many), and of tracks, including those of hands that are absent.
    private static let (mostHands, mostTracks) = (100, 200)

    /// Creates a stage from its options.
    public init(_ options: Options = Options()) { self.options = options }

    /// Assigns the hands of a frame to tracks.
    ///
    /// - Throws: A frame error for numbers that are not finite, and for more than 100 hands (`track.too_many`).
    /// - Complexity: O(hands² · (hands + tracks)).
    public mutating func process(_ payload: Hands, _ header: borrowing Header, into emitter: borrowing Emitter<Hands>)
        throws
    {
        let hands = payload.hands
        guard hands.count <= Self.mostHands else {
            throw PipelineError.frame(
                "track.too_many", "\(hands.count) hands, but \(Self.mostHands) are the limit",
                help: "select: { max_hands: 2 } takes the best")
        }
        try payload.check()
        let time = header.timestamp
        let limit = options.maxLostMs * 1000
        tracks.removeAll { Double(time.microseconds(since: $0.seen)) > limit }
        // By index, because a variable for the hand would be one more copy of it.
        for index in hands.indices { seen.append(hands[index].seen) }
        assignment.solve(rows: hands.count, columns: tracks.count) { row, column in
            guard let hand = seen[row] else { return nil }
            return tracks[column].cost(of: hand, time, options.minTrackingConfidence)
        }
        for index in hands.indices {
            output.hands.append(hands[index])
            output.hands[index].track = identity(of: index, time)
        }
        if tracks.count > Self.mostTracks {
            tracks.sort { ($0.seen, $0.id) > ($1.seen, $1.id) }
            tracks.removeLast(tracks.count - Self.mostTracks)
        }
        emitter.emit(output)
        // References held any longer would keep upstream stages from reusing the memory.
        output.hands.removeAll(keepingCapacity: true)
        seen.removeAll(keepingCapacity: true)
    }

    private mutating func identity(of index: Int, _ time: Timestamp) -> Int? {
        guard let hand = seen[index] else { return nil }
        if let column = assignment.columns[index] {
            tracks[column].follow(hand, time)
            return tracks[column].id
        }
        lastID += 1
        tracks.append(HandTrack(id: lastID, hand, time))
        return lastID
    }
}

extension Track: StageComponent {
    public struct Options: ComponentOptions {
        @Option(
            "Smallest overlap of a hand's box with the box expected for a track (intersection over union), as in MediaPipe.",
            in: 0...1)
        public var minTrackingConfidence = 0.5

        @Option("Time for which a hand may be absent and keep its identity.", in: 0...60_000)
        public var maxLostMs = 500.0

        public init() {}
    }

    public static let manifest = Manifest(
        name: "track",
        summary: "Assigns every hand an identity that it keeps from frame to frame",
        details: """
            The expected position of a hand follows from its motion. A hand can belong to a track if its box (a square around the \
            palm, as large as the extent of wrist, knuckles and middle joints) overlaps the expected box by at least \
            `min_tracking_confidence`; the expected box may be moved and scaled as far as a hand can deviate in the elapsed time. \
            The chosen assignment of hands to tracks assigns the most hands and, if several do, has the smallest total \
            disagreement in distance, shape and handedness (the assignment method of Kuhn and Munkres). Hands that cross \
            therefore keep their identities. A hand without a track starts a new one.

            Identities count from 1 in each stream and are never reused. Identities in the input are overwritten. A hand without \
            points has none.
            """,
        example: """
            version: 1
            name: track-example
            sources:
              - stdin: { kind: hands }
            stages:
              - track: { max_lost_ms: 300 }
            sinks:
              - stdout
            """)

    public static let makes = Production.of(Hands.self)

    public static func accepts(_ options: Options) -> Acceptance { .one(of: [PortType(Hands.self)]) }

    public static func make(_ options: Options, for input: PortType, _ context: BuildContext) throws -> any Stage {
        Track(options)
    }
}
