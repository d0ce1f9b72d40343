/// A receiver of the marks of a segment: everything except frames, such as watermarks and the ends of streams.
protocol MarkTaker: AnyObject {
    /// Whether the receiver uses ``bound(_:_:)``.
    var wantsBounds: Bool { get }

    /// Takes a watermark: the time of a stream, or (`nil`) of all streams, has reached `time`.
    func bound(_ stream: StreamID?, _ time: Timestamp)

    /// Records that all frames of a stream up to `time` have passed under other names.
    func receipt(_ stream: StreamID, _ time: Timestamp)

    /// Records that a stream has ended.
    func end(_ stream: StreamID)

    /// Whether the receiver uses ``progress(_:)``.
    var wantsProgress: Bool { get }

    /// Records that everything produced from the sources' items up to `rank` has passed.
    func progress(_ rank: SourceRank)

    /// Whether the receiver uses ``credit(_:of:)``.
    var wantsCredits: Bool { get }

    /// Passes on a credit after everything that was produced from a stream's last frame.
    func credit(_ credit: Credit, of stream: StreamID?)

    /// Records that a frame follows whose output may be in streams with other names.
    func beginInput()

    /// Records the names of the streams that were produced from that frame.
    func noteNames(of stream: StreamID)

    /// Whether the receiver uses ``inputEnd()``.
    var wantsInputEnds: Bool { get }

    /// Records that the output of one input is complete.
    func inputEnd()
}

extension MarkTaker {
    var wantsProgress: Bool { false }
    func progress(_ rank: SourceRank) {}
    var wantsCredits: Bool { false }
    func credit(_ credit: Credit, of stream: StreamID?) {}
    func beginInput() {}
    func noteNames(of stream: StreamID) {}
    var wantsInputEnds: Bool { false }
    func inputEnd() {}
}

extension [any MarkTaker] {
    /// Passes a credit on to each receiver. Without receivers, the credit ends.
    func pass(_ credit: Credit, of stream: StreamID?) {
        guard let last else { return credit.end() }
        for taker in dropLast() { taker.credit(credit.divided(), of: stream) }
        last.credit(credit, of: stream)
    }
}
