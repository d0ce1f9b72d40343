/// A receiver of the marks that leave a segment, which is a sequence of stages in one task. Every item that is not a frame is a
/// mark, such as a watermark or the end of a stream.
protocol MarkTaker: AnyObject {
    /// Whether the receiver uses ``bound(_:_:)``.
    var wantsWatermarks: Bool { get }

    /// Takes a watermark: no frame at or before `time` will follow in the stream (`nil`: in any stream).
    func bound(_ stream: StreamID?, _ time: Timestamp)

    /// Takes a receipt: everything made from the frames of `stream` up to `time` has passed. A stage may have given the output
    /// other stream names.
    func receipt(_ stream: StreamID, _ time: Timestamp)

    /// Takes the end of a stream.
    func end(_ stream: StreamID)

    /// Whether the receiver uses ``progress(_:)``.
    var wantsProgress: Bool { get }

    /// Records that everything produced from the sources' items up to `rank` has passed.
    func progress(_ rank: SourceRank)

    /// Whether the receiver uses ``credit(_:of:)``.
    var wantsCredits: Bool { get }

    /// Takes a credit. It follows everything that was produced from the last frame of `stream`.
    func credit(_ credit: Credit, of stream: StreamID?)

    /// Records that the output of the next input frame begins here. The output may belong to streams with other names.
    func beginInput()

    /// Records the names of the output streams since ``beginInput()``, for an input frame of `stream`.
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
    /// Passes a credit to every receiver. Without receivers, the credit ends.
    func pass(_ credit: Credit, of stream: StreamID?) {
        guard let last else { return credit.end() }
        for taker in dropLast() { taker.credit(credit.divided(), of: stream) }
        last.credit(credit, of: stream)
    }
}
