/// A receiver of the marks that leave a segment, which is a sequence of stages in one task.
protocol MarkTaker: AnyObject {
    /// Whether the receiver uses watermarks.
    var wantsWatermarks: Bool { get }

    /// Whether the receiver uses the ranks of the sources' items.
    var wantsProgress: Bool { get }

    /// Whether the receiver uses credits.
    var wantsCredits: Bool { get }

    /// Whether the receiver uses the ends of inputs.
    var wantsInputEnds: Bool { get }

    /// Takes a mark. A receiver ignores the kinds that it does not use.
    func take(_ mark: Mark)

    /// Records that everything since the last call was made from `stream`. It may belong to streams with other names.
    ///
    /// - Parameter isFrame: Whether it was made from a frame of the stream, which may be in flight.
    func noteNames(of stream: StreamID, isFrame: Bool)

    /// Takes the end of an input stream of a segment that renames streams.
    func endNames(of stream: StreamID, _ end: StreamEnd)
}

extension MarkTaker {
    var wantsProgress: Bool { false }
    var wantsCredits: Bool { false }
    var wantsInputEnds: Bool { false }
    func noteNames(of stream: StreamID, isFrame: Bool) {}
    func endNames(of stream: StreamID, _ end: StreamEnd) {}
}

extension [any MarkTaker] {
    /// Passes a mark to every receiver.
    func take(_ mark: Mark) {
        for taker in self { taker.take(mark) }
    }

    /// Passes a credit to every receiver. Without receivers, the credit ends.
    func pass(_ credit: Credit, of stream: StreamID?) {
        guard let last else { return credit.end() }
        for taker in dropLast() { taker.take(.credit(credit.divided(), of: stream)) }
        last.take(.credit(credit, of: stream))
    }
}
