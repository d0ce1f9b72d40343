import Pipeline

/// An observed frame or drop of a run over a recording. Its messages are serialized on each request, to save memory.
struct RecordedItem: Keepable, Sendable {
    enum Content: Sendable {
        /// A frame, the index of its node in the plan, and whether it is a result.
        case frame(WatchedFrame, place: Int, isResult: Bool)
        case drop(DropRecord)
    }

    /// A number that increases with time.
    var id = 0
    /// The time of observation, in milliseconds from the start of the recording.
    let time: Int64
    /// The node that emitted the frame; `nil` for a drop.
    let node: String?
    let content: Content

    func frame(at name: String) -> [UInt8]? {
        guard case .frame(let frame, _, _) = content else { return nil }
        return SeenFrame(frame, id: id, time: time).text(of: name)
    }

    var event: [UInt8]? {
        switch content {
        case .drop(let drop): SeenDrop(id: id, time: time, drop: drop).text
        case .frame(let frame, _, true): node.map { SeenFrame(frame, id: id, time: time).resultText(of: $0) }
        case .frame: nil
        }
    }

    /// The result, if the item is one.
    var result: KeptResult? {
        guard case .frame(let frame, let place, true) = content else { return nil }
        return KeptResult(SeenFrame(frame, id: id, time: time), node: place)
    }

    /// Returns whether the item is a result for which `isMeant` returns true. Does not serialize the item.
    func isResult(_ isMeant: (KeptResult) -> Bool) -> Bool {
        guard case .frame(let frame, let place, true) = content else { return false }
        return isMeant(KeptResult(frame, id: id, node: place, payload: nil))
    }
}
