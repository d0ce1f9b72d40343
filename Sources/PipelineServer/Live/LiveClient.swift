import Connectors
import Pipeline
import PipelineComponents
import Stages

/// Somebody who looks at a run over a WebSocket: what he wants to see, and what waits to be sent to him.
///
/// What waits is bounded. Who reads slower than it comes misses the oldest.
// Belongs to the server's thread.
final class LiveClient: WebSocketHandler {
    let id: WebServer.RequestID
    private unowned let hub: LiveHub

    /// The nodes to look at, with how many frames of each may still be sent.
    private(set) var watched: [String: FrameBudget] = [:]
    /// Whether results and drops are to be told.
    private(set) var wantsEvents = true
    /// How often the state is sent, in milliseconds; 0 for never.
    private var stateEvery: Int64 = 500
    private var stateSentAt: Int64 = 0

    private var waiting: [WebMessage] = []
    private var first = 0
    private var waitingBytes = 0
    private var state: WebMessage?
    /// Set when nothing more will come.
    private(set) var isOver = false

    private static var mostWaiting: Int { 256 }
    private static var mostBytes: Int { 4 << 20 }

    init(_ id: WebServer.RequestID, _ hub: LiveHub) { (self.id, self.hub) = (id, hub) }

    /// Says something that comes in its order.
    func send(_ message: WebMessage) {
        waiting.append(message)
        waitingBytes += message.count
        while waiting.count - first > Self.mostWaiting || waitingBytes > Self.mostBytes && waiting.count - first > 1 {
            waitingBytes -= waiting[first].count
            first += 1
        }
        if first > 64, first > waiting.count / 2 {
            waiting.removeFirst(first)
            first = 0
        }
        hub.wantsToWrite(self)
    }

    /// Whether the state is due at a time, in milliseconds.
    func wantsState(at now: Int64) -> Bool { stateEvery > 0 && now - stateSentAt >= stateEvery }

    /// Says how the run stands, in place of what it was told before.
    func send(state message: WebMessage, at now: Int64) {
        stateSentAt = now
        state = message
        hub.wantsToWrite(self)
    }

    /// How many of a node's frames may be sent at a time, in milliseconds.
    func budget(of node: String, at now: Int64) -> Int { watched[node]?.available(at: now) ?? 0 }

    func spend(_ count: Int, on node: String) { watched[node]?.spend(count) }

    /// Ends, once all has been sent.
    func end() {
        isOver = true
        hub.wantsToWrite(self)
    }

    func next() -> WebMessage? {
        if first < waiting.count {
            let message = waiting[first]
            first += 1
            waitingBytes -= message.count
            if first == waiting.count {
                waiting.removeAll(keepingCapacity: true)
                first = 0
            }
            return message
        }
        return state.take()
    }

    func closed() { hub.remove(self) }

    // MARK: What it asks for

    func received(_ message: [UInt8], isBinary: Bool) {
        guard let document = try? DocumentValue(message, .json), let name = document["op"]?.string else {
            return notice("server.message", "a message is a JSON object with op")
        }
        switch name {
        case "watch": watch(document)
        case "state":
            guard let every = document["every_ms"]?.number, every == 0 || (250...10_000).contains(every) else {
                return notice("server.message", "every_ms is 0, or from 250 to 10000")
            }
            stateEvery = Int64(every)
        case "events":
            if case .boolean(let isOn)? = document["on"] { wantsEvents = isOn }
        case "ping":
            guard let number = document["id"]?.number, number.magnitude < 9e15 else { return }
            send(
                .json([
                    ("op", .string("pong")), ("id", .integer(Int(number))), ("time_ms", .count(WallClock.milliseconds)),
                ]))
        default: notice("server.message", "there is no op \(name.cut): there are watch, state, events and ping")
        }
        hub.wishesChanged()
    }

    private func watch(_ wish: DocumentValue) {
        let rate = min(max(wish["rate"]?.number ?? 10, 0.1), 60)
        guard case .array(let names)? = wish["nodes"] else {
            return notice("server.message", "watch wants nodes, a list of names")
        }
        let now = WallClock.milliseconds
        var wanted: [String: FrameBudget] = [:]
        for case .string(let name) in names {
            guard hub.isWatchable(name) else {
                notice("server.no_such_node", "there is no node \(name.cut) that can be watched")
                continue
            }
            wanted[name] = watched[name] ?? FrameBudget(rate: rate, now: now)
            wanted[name]?.change(to: rate)
        }
        watched = wanted
    }

    private func notice(_ code: String, _ words: String) {
        send(
            .json([
                ("op", .string("notice")), ("level", .string("warning")), ("code", .string(code)),
                ("message", .string(words)),
            ]))
    }
}

extension WebMessage {
    /// An object on one line.
    static func json(_ members: [(key: String, value: JSONValue)]) -> WebMessage {
        WebMessage(JSONValue.object(members).text(isIndented: false))
    }
}
