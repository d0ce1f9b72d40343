import Connectors
import Pipeline
import PipelineComponents
import Stages

/// A Foxglove or Lichtblick client, which uses version 1 of the Foxglove WebSocket protocol.
///
/// Each node whose frames can be encoded gets a channel of JSON messages. If the frames can be drawn, the node also gets a channel
/// of scenes.
// Used only in the server's thread.
final class FoxgloveViewer: Viewer {
    /// The name of the WebSocket subprotocol.
    static let name = "foxglove.websocket.v1"

    private struct Channel {
        let id: Int
        let node: String
        let isScene: Bool
        let topic: String
        let schema: FoxgloveSchema.Named
        /// The current drawing, for channels of scenes.
        var scene = Scene()
    }

    private var channels: [Channel] = []
    /// The indices in `channels` of the subscribed channels, by the client's subscription ids.
    private var subscriptions: [UInt32: Int] = [:]
    private var toldTime: Int64 = 0
    private static var mostSubscriptions: Int { 1000 }
    private static var rate: Double { 60 }

    override func welcome() {
        channels = Self.channels(of: hub.served.plan)
        let identity = hub.served.identity
        send(
            .json([
                ("op", .string("serverInfo")), ("name", .string("\(identity.program.name): \(identity.name.cut)")),
                ("capabilities", .array([.string("time"), .string("connectionGraph")])),
                ("metadata", .object([("configuration", .string(identity.configuration))])),
                ("sessionId", .string("\(hub.served.started)")),
            ]))
        send(
            .json([
                ("op", .string("advertise")),
                (
                    "channels",
                    .array(
                        channels.map {
                            .object([
                                ("id", .integer($0.id)), ("topic", .string($0.topic)), ("encoding", .string("json")),
                                ("schemaName", .string($0.schema.name)), ("schema", .string($0.schema.text)),
                                ("schemaEncoding", .string("jsonschema")),
                            ])
                        })
                ),
            ]))
    }

    private static func channels(of plan: Plan) -> [Channel] {
        var channels: [Channel] = []
        for node in plan.nodes {
            guard let payload = node.output?.payload as? any WireEncodable.Type else { continue }
            let id = channels.count + 1
            channels.append(
                Channel(
                    id: id, node: node.id, isScene: false, topic: "/\(node.id)",
                    schema: FoxgloveSchema.frames(of: payload)))
            guard payload is any ScenePayload.Type else { continue }
            channels.append(
                Channel(
                    id: id + 1, node: node.id, isScene: true, topic: "/\(node.id)/scene", schema: FoxgloveSchema.scene))
        }
        return channels
    }

    // MARK: Requests from the client

    override func received(_ message: [UInt8], isBinary: Bool) {
        guard !isBinary, let document = try? DocumentValue(message, .json), let name = document["op"]?.string else {
            return status("a message must be a JSON object with the key op")
        }
        switch name {
        case "subscribe": subscribe(document["subscriptions"])
        case "unsubscribe":
            for id in document["subscriptionIds"]?.numbers ?? [] {
                UInt32(exactly: id).map { subscriptions[$0] = nil }
            }
        case "subscribeConnectionGraph": tellGraph()
        case "unsubscribeConnectionGraph": return
        default: return status("the op \(name.cut) is not supported")
        }
        let nodes = Set(subscriptions.values.map { channels[$0].node })
        let now = ServerClock.milliseconds
        watched = Dictionary(
            uniqueKeysWithValues: nodes.map { ($0, watched[$0] ?? FrameBudget(rate: Self.rate, now: now)) })
        hub.requestsChanged()
    }

    private func subscribe(_ wishes: DocumentValue?) {
        guard case .array(let list)? = wishes else { return status("subscribe requires subscriptions, a list") }
        for wish in list {
            guard subscriptions.count < Self.mostSubscriptions else {
                return status(
                    "there are at most \(Self.mostSubscriptions) subscriptions: unsubscribe from others first")
            }
            guard let id = wish["id"]?.number.flatMap({ UInt32(exactly: $0) }), let channel = wish["channelId"]?.number,
                let place = channels.firstIndex(where: { Double($0.id) == channel }), subscriptions[id] == nil
            else {
                status("a subscription needs a new id and an advertised channelId")
                continue
            }
            subscriptions[id] = place
        }
    }

    private func tellGraph() {
        let plan = hub.served.plan
        func topics(_ ids: String, _ nodes: (Channel) -> [String]) -> JSONValue {
            .array(
                channels.map { channel in
                    .object([("name", .string(channel.topic)), (ids, .array(nodes(channel).map { .string($0) }))])
                })
        }
        send(
            .json([
                ("op", .string("connectionGraphUpdate")), ("publishedTopics", topics("publisherIds") { [$0.node] }),
                (
                    "subscribedTopics",
                    topics("subscriberIds") { channel in
                        plan.nodes.filter {
                            $0.edges.contains { plan.nodes[$0.from].id == channel.node && $0.port == .output }
                        }
                        .map(\.id)
                    }
                ),
                ("advertisedServices", .array([])), ("removedTopics", .array([])), ("removedServices", .array([])),
            ]))
    }

    private func status(_ words: String) {
        send(.json([("op", .string("status")), ("level", .integer(1)), ("message", .string(words))]))
    }

    // MARK: Messages to the client

    override func messages(of seen: SeenFrame, at node: String, _ written: inout [Int: WebMessage]) -> [WebMessage] {
        let time = UInt64(max(0, seen.time)) * 1_000_000
        return subscriptions.filter { channels[$0.value].node == node }.sorted { $0.key < $1.key }.compactMap {
            id, place in
            let text = channels[place].isScene ? scene(seen.frame, place, time) : seen.payload.payload
            return text.map { WebMessage([1] + Self.bytes(id) + Self.bytes(time) + $0, isBinary: true) }
        }
    }

    private func scene(_ frame: WatchedFrame, _ place: Int, _ time: UInt64) -> [UInt8]? {
        guard let payload = frame.payload as? any WireEncodable else { return nil }
        var json = TextBuffer()
        draw(payload, frame, place, time, into: &json)
        return json.bytes
    }

    private func draw<P: WireEncodable>(
        _ payload: P, _ frame: WatchedFrame, _ place: Int, _ time: UInt64, into json: inout TextBuffer
    ) {
        channels[place].scene.write(
            Frame(payload, at: frame.timestamp, stream: frame.stream, sequence: frame.sequence), at: time, into: &json)
    }

    override func tick(_ now: Int64) {
        guard now - toldTime >= 100 else { return }
        toldTime = now
        send(WebMessage([2] + Self.bytes(UInt64(max(0, now)) * 1_000_000), isBinary: true))
    }

    override func runEnded() {
        send(.json([("op", .string("status")), ("level", .integer(0)), ("message", .string("the run is over"))]))
    }

    private static func bytes<Number: FixedWidthInteger>(_ number: Number) -> [UInt8] {
        withUnsafeBytes(of: number.littleEndian) { Array($0) }
    }
}
