import Pipeline
import Stages

/// An observed frame, serialized for clients.
struct SeenFrame {
    /// An increasing number.
    let id: Int
    /// The time of observation, in milliseconds.
    let time: Int64
    let frame: WatchedFrame
    let kind: String
    let payload: ShownFrame

    init(_ frame: WatchedFrame, id: Int, time: Int64) {
        (self.id, self.time, self.frame) = (id, time, frame)
        kind = type(of: frame.payload).kind.rawValue
        payload = ShownFrame(frame)
    }

    /// Returns the `frame` message, which contains the payload.
    func text(of node: String) -> [UInt8] {
        var text = begin("frame", node)
        text.add(payload)
        return text.end()
    }

    /// Returns the `result` message for the timeline. It contains no payload; for a recognition, it has the label and the score.
    func resultText(of node: String) -> [UInt8] {
        var text = begin("result", node)
        if let recognition = frame.payload as? Recognition {
            text.add("label", recognition.best.name)
            text.add("score", recognition.best.score)
            text.add("accepted", recognition.best.index >= 0)
        }
        return text.end()
    }

    /// Returns the beginning of a `frame` message, up to the name of the node.
    static func head(of node: String, id: Int, time: Int64) -> [UInt8] { begin("frame", node, id, time).bytes }

    private static func begin(_ op: StaticString, _ node: String, _ id: Int, _ time: Int64) -> SeenText {
        var text = SeenText(op, id, time)
        text.add("node", node)
        return text
    }

    private func begin(_ op: StaticString, _ node: String) -> SeenText {
        var text = Self.begin(op, node, id, time)
        text.add(frame.stream, frame.sequence, frame.timestamp)
        text.add("kind", kind)
        return text
    }
}

/// An observed drop.
struct SeenDrop {
    let id: Int
    /// The time of observation, in milliseconds.
    let time: Int64
    let drop: DropRecord

    /// The `drop` message for the timeline.
    var text: [UInt8] {
        var text = SeenText("drop", id, time)
        text.add(drop.stream, drop.sequence, drop.timestamp)
        text.add("where", drop.place)
        text.add("why", drop.reason.rawValue)
        text.add("count", drop.count)
        if let age = drop.age { text.add("age_us", age / 1000) }
        return text.end()
    }
}
