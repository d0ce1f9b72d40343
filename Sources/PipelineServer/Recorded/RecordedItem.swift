import Pipeline

/// A frame or a drop of a run over a recording. What tells of it is written when somebody asks.
struct RecordedItem: Keepable, Sendable {
    enum Content: Sendable {
        /// A frame, the place of its node in the plan, and whether it is a result.
        case frame(WatchedFrame, place: Int, isResult: Bool)
        case drop(DropRecord)
    }

    /// A number that grows with the time.
    var id = 0
    /// When it was seen, in milliseconds from the beginning of the recording.
    let time: Int64
    /// The node it was seen behind; `nil` for a drop.
    let node: String?
    let content: Content

    var frame: [UInt8]? {
        guard case .frame(let frame, _, _) = content, let node else { return nil }
        return SeenFrame(frame, id: id, time: time).text(of: node)
    }

    var event: [UInt8]? {
        switch content {
        case .drop(let drop): SeenDrop(id: id, time: time, drop: drop).text
        case .frame(let frame, _, true): node.map { SeenFrame(frame, id: id, time: time).resultText(of: $0) }
        case .frame: nil
        }
    }

    /// The result that it is, if it is one.
    var result: KeptResult? {
        guard case .frame(let frame, let place, true) = content else { return nil }
        return KeptResult(SeenFrame(frame, id: id, time: time), node: place)
    }

    /// Whether it is the result that is meant. Its message is not written for that.
    func isResult(_ isMeant: (KeptResult) -> Bool) -> Bool {
        guard case .frame(let frame, let place, true) = content else { return false }
        return isMeant(KeptResult(frame, id: id, node: place, payload: nil))
    }
}
