import Connectors
import Pipeline
import PipelineComponents
import Stages

/// A viewer that is connected to `/api/live` and uses the server's own JSON messages.
// Used only in the server's thread.
final class LiveClient: Viewer {
    private var hearsEvents = true
    /// The interval between state messages, in milliseconds; 0 for none.
    private var stateEvery: Int64 = 500
    private var stateSentAt: Int64 = 0

    override var wantsEvents: Bool { hearsEvents }

    override func wantsState(at now: Int64) -> Bool { stateEvery > 0 && now - stateSentAt >= stateEvery }

    override func send(state message: WebMessage, at now: Int64) {
        stateSentAt = now
        super.send(state: message, at: now)
    }

    override func welcome() { send(.json(hub.hello)) }

    override func messages(of seen: SeenFrame, at node: String, _ written: inout [Int: WebMessage]) -> [WebMessage] {
        let message = written[seen.id] ?? WebMessage(seen.text(of: node))
        written[seen.id] = message
        return [message]
    }

    override func runEnded() { send(.json([("op", .string("ended"))])) }

    override func received(_ message: [UInt8], isBinary: Bool) {
        guard let document = try? DocumentValue(message, .json), let name = document["op"]?.string else {
            return notice("server.message", "a message must be a JSON object with the key op")
        }
        switch name {
        case "watch": watch(document)
        case "state":
            guard let every = document["every_ms"]?.number, every == 0 || (250...10_000).contains(every) else {
                return notice("server.message", "every_ms must be 0, or from 250 to 10000")
            }
            stateEvery = Int64(every)
        case "events":
            guard case .boolean(let isOn)? = document["on"] else {
                return notice("server.message", "events requires on, which is true or false")
            }
            hearsEvents = isOn
        case "ping":
            guard let number = document["id"]?.number, number.magnitude < 9e15, number == number.rounded() else {
                return notice("server.message", "ping requires id, a whole number")
            }
            send(
                .json([
                    ("op", .string("pong")), ("id", .integer(Int(number))),
                    ("time_ms", .count(ServerClock.milliseconds)),
                ]))
        default: notice("server.message", "there is no op \(name.cut): there are watch, state, events and ping")
        }
        hub.requestsChanged()
    }

    private func watch(_ wish: DocumentValue) {
        guard case .array(let names)? = wish["nodes"], names.allSatisfy({ $0.string != nil }) else {
            return notice("server.message", "watch requires nodes, a list of names")
        }
        guard let rate = wish["rate"].map(\.number) ?? 10, (0.1...60).contains(rate) else {
            return notice("server.message", "rate must be from 0.1 to 60")
        }
        let now = ServerClock.milliseconds
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
    /// Creates a message with a JSON object on one line.
    static func json(_ members: [(key: String, value: JSONValue)]) -> WebMessage {
        WebMessage(JSONValue.object(members).text(isIndented: false))
    }
}
