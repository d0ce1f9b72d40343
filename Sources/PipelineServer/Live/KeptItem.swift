/// An observed frame or drop, kept so that clients can request it later.
protocol Keepable {
    var id: Int { get }
    /// The time of observation, in milliseconds.
    var time: Int64 { get }
    /// The node that emitted the frame; `nil` for a drop.
    var node: String? { get }
    /// Returns the message about the frame as one that passes a node: `node`, or a sink directly downstream of it; `nil` for a drop.
    func frame(at name: String) -> [UInt8]?
    /// The message for the timeline, if the item is a result or a drop.
    var event: [UInt8]? { get }
}

/// An observed frame or drop, stored as the messages about it.
struct KeptItem: Keepable {
    /// An increasing number. If a frame is a result, its `frame` and `result` messages have the same number.
    let id: Int
    /// The time of observation, in milliseconds.
    let time: Int64
    /// The node that emitted the frame; `nil` for a drop.
    let node: String?
    /// The message about the frame as one that passes `node`; `nil` for a drop.
    var frame: [UInt8]?
    /// The message for the timeline, if the item is a result or a drop.
    var event: [UInt8]?

    /// The result, if the item is one.
    var result: KeptResult?

    func frame(at name: String) -> [UInt8]? {
        guard let node, let frame, name != node else { return frame }
        let old = SeenFrame.head(of: node, id: id, time: time)
        return SeenFrame.head(of: name, id: id, time: time) + frame.dropFirst(old.count)
    }

    /// The approximate memory size in bytes.
    var bytes: Int { (frame?.count ?? 0) + (event?.count ?? 0) + (result?.payload?.count ?? 0) + 128 }
}
