import Pipeline
import PipelineComponents

/// Gives every hand an identity that it keeps from frame to frame, through short losses and when hands cross.
public struct Track: Stage {
    private let options: Track.Options
    private var tracks: [HandTrack] = []
    private var lastID = 0
    private var assignment = Assignment()
    private var places: [HandPlace?] = []
    private var output = Hands.empty

    /// More hands than any camera sees; and of tracks, with those that are lost.
    private static let (mostHands, mostTracks) = (100, 200)

    /// Makes the stage.
    public init(_ options: Options = Options()) { self.options = options }

    /// O(hands² · (hands + tracks)).
    ///
    /// - Throws: A frame error for numbers that are not finite, and for more than 100 hands (`track.too_many`).
    public mutating func process(_ payload: Hands, _ header: borrowing Header, into emitter: borrowing Emitter<Hands>)
        throws
    {
        let hands = payload.hands
        guard hands.count <= Self.mostHands else {
            throw PipelineError.frame(
                "track.too_many", "\(hands.count) hands, and \(Self.mostHands) are the limit",
                help: "select: { max_hands: 2 } takes the best")
        }
        try payload.check()
        let time = header.timestamp
        let limit = options.maxLostMs * 1000
        tracks.removeAll { Double(time.microseconds(since: $0.seen)) > limit }
        places.removeAll(keepingCapacity: true)
        for hand in hands { places.append(HandPlace(hand)) }
        let known = tracks.count
        assignment.solve(rows: hands.count, columns: known) { row, column in
            guard let place = places[row] else { return nil }
            return tracks[column].cost(of: hands[row], at: place, time, options.minTrackingConfidence)
        }
        output.hands.resize(to: hands.count, filler: .empty)
        for (index, hand) in hands.enumerated() {
            output.hands[index] = hand
            output.hands[index].track = identity(of: hand, index, time)
        }
        if tracks.count > Self.mostTracks {
            tracks.sort { ($0.seen, $0.id) > ($1.seen, $1.id) }
            tracks.removeLast(tracks.count - Self.mostTracks)
        }
        emitter.emit(output)
        // Kept any longer, stages that made them could not use their memory again.
        for index in output.hands.indices { output.hands[index] = .empty }
    }

    private mutating func identity(of hand: Landmarks, _ index: Int, _ time: Timestamp) -> Int? {
        guard let place = places[index] else { return nil }
        if let column = assignment.columns[index] {
            tracks[column].follow(hand, at: place, time)
            return tracks[column].id
        }
        lastID += 1
        tracks.append(HandTrack(id: lastID, hand, at: place, time))
        return lastID
    }
}

extension Track: StageComponent {
    public struct Options: ComponentOptions {
        @Option(
            "Least overlap of a hand's box with the box expected of a track (intersection over union), as in MediaPipe.",
            in: 0...1)
        public var minTrackingConfidence = 0.5

        @Option("Time that a hand may be away and keep its identity.", in: 0...60_000)
        public var maxLostMs = 500.0

        public init() {}
    }

    public static let manifest = Manifest(
        name: "track",
        summary: "Gives every hand an identity that it keeps from frame to frame",
        details: """
            Where a hand is expected follows from how it moved. A hand belongs to a track when its box (a square about the palm, as large as \
            wrist, knuckles and middle joints reach) overlaps the expected one by `min_tracking_confidence`, give or take what a \
            hand can be off that course after the time that passed. Of all ways to give the hands of a frame to tracks the one is \
            taken in which most find one and, of those, distance, shape and handedness disagree least (Kuhn and Munkres' \
            assignment), so that hands that cross keep their identities. A hand without a track begins one.

            Identities count from 1 in each stream and are given once. Those that hands brought along are written over. A hand without \
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
