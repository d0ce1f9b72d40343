/// Who is told what a segment knows beside its frames: how far time has come, and what has ended.
protocol MarkTaker: AnyObject {
    /// Whether it makes anything of ``bound(_:_:)``.
    var wantsBounds: Bool { get }

    /// Notes that a stream's time (or with `nil` every stream's) has come to `time`.
    func bound(_ stream: StreamID?, _ time: Timestamp)

    /// Notes that all of a stream up to `time` has passed under other names.
    func receipt(_ stream: StreamID, _ time: Timestamp)

    /// Notes that a stream has ended.
    func end(_ stream: StreamID)

    /// Whether it makes anything of ``progress(_:)``.
    var wantsProgress: Bool { get }

    /// Notes that all has come that comes of what the sources brought up to `rank`.
    func progress(_ rank: SourceRank)

    /// Whether it makes anything of ``credit(_:of:)``.
    var wantsCredits: Bool { get }

    /// Passes a credit on behind all that was made of a stream's last frame.
    func credit(_ credit: Credit, of stream: StreamID?)

    /// Notes that a frame is about to be given, whose stream gets other names.
    func beginInput()

    /// Notes the names of the streams that came of it.
    func noteNames(of stream: StreamID)

    /// Whether it makes anything of ``inputEnd()``.
    var wantsInputEnds: Bool { get }

    /// Notes that all has come that one input makes.
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
    /// Passes a credit on over each of them; over none of them it ends.
    func pass(_ credit: Credit, of stream: StreamID?) {
        guard let last else { return credit.end() }
        for taker in dropLast() { taker.credit(credit.divided(), of: stream) }
        last.credit(credit, of: stream)
    }
}
