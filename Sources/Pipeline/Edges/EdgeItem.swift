/// What travels on an edge: frames, and what is known of the time of streams that bring none.
enum EdgeItem<Element: EdgeElement>: Sendable {
    case frame(Element)

    /// No frame at or before the timestamp will come any more, for one stream or (`nil`) for all.
    case bound(StreamID?, Timestamp)

    /// All that came of a stream up to the timestamp has passed here under other names, but nothing is known of the time of any
    /// stream. What a bound becomes behind a stage that renames streams, for a reader who knows the names they had.
    case receipt(StreamID, Timestamp)

    /// All that was made of the frame of a slot stands before it: the last of it in a stream, or nothing that still stands anywhere
    /// (`nil`).
    case credit(Credit, of: StreamID?)

    /// All that one input of the stage before has made stands before it. On edges with slots only.
    case inputEnd

    /// The stream has ended; a later frame of the same name opens it anew.
    case end(StreamID)

    /// All that came of what the sources brought up to here stands before it: in a batch run, on edges that lead to where edges
    /// come together.
    case progress(SourceRank)
}

/// What an edge must know of a frame.
protocol EdgeElement: Sendable {
    /// When it happened.
    var timestamp: Timestamp { get }

    /// The stream it belongs to.
    var stream: StreamID { get }

    /// How many frames went missing right before it.
    var gap: Int32 { get set }
}

extension Frame: EdgeElement {}

extension Array {
    /// Takes out the bounds that a later item of the same stream makes superfluous, so that a queue whose frames are
    /// dropped does not grow by their bounds. O(n).
    mutating func removeOvertakenBounds<E: EdgeElement>() where Element == EdgeItem<E> {
        var later: Set<StreamID> = []
        var hasLaterGlobal = false
        var kept: [Element] = []
        for item in reversed() {
            switch item {
            case .bound(nil, _):
                if hasLaterGlobal { continue }
                hasLaterGlobal = true
            case .bound(let stream?, _), .receipt(let stream, _):
                if !later.insert(stream).inserted { continue }
            case .frame(let frame): later.insert(frame.stream)
            // What comes after an end is another stream of the same name.
            case .end(let stream): later.remove(stream)
            case .credit, .inputEnd, .progress: break
            }
            kept.append(item)
        }
        self = kept.reversed()
    }
}

extension Array {
    /// Adds a bound or receipt; one that follows another of the same stream takes its place.
    mutating func appendBound<E: EdgeElement>(_ item: EdgeItem<E>) where Element == EdgeItem<E> {
        switch (last, item) {
        case (.bound(let last, let before)?, .bound(let stream, let time)) where last == stream:
            self[count - 1] = .bound(stream, Swift.max(before, time))
        case (.receipt(let last, let before)?, .receipt(let stream, let time)) where last == stream:
            self[count - 1] = .receipt(stream, Swift.max(before, time))
        default: append(item)
        }
    }
}
