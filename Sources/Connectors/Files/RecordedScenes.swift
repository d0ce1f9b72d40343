import MCAP
import Pipeline
import Stages

/// Makes the scenes of messages that are recorded already.
package struct RecordedScenes {
    private let yGrows: VerticalDirection
    private var drawers: [PayloadKind: any MessageDrawer] = [:]

    /// - Parameter yGrows: Where the y of the frames grows to.
    package init(yGrows: VerticalDirection = .down) { self.yGrows = yGrows }

    /// How scenes are built.
    package static func schema(id: UInt16) -> Schema { SceneSchema.schema(id: id) }

    /// The channel of the scenes of a topic.
    package static func channel(id: UInt16, schema: UInt16, of topic: String) -> Channel {
        Channel(id: id, schemaID: schema, topic: Scene.topic(of: topic), messageEncoding: "json")
    }

    /// Whether a channel holds scenes that we made of another.
    package static func holdsScenes(_ channel: Channel?, _ schema: Schema?) -> Bool {
        SceneSchema.isScene(schema) && channel?.topic.hasPrefix(Scene.topic(of: "")) == true
    }

    /// The scene of a message, with its times and its number; `nil` when it is no frame of ours that can be drawn.
    package mutating func scene(of message: Message, _ channel: Channel?, _ schema: Schema?) -> Message? {
        guard let channel, let kind = schema.flatMap(FrameSchema.kind(of:)).flatMap({ PayloadKind.standard[$0] }),
            kind.type is any ScenePayload.Type
        else { return nil }
        if drawers[kind] == nil { drawers[kind] = drawer(of: kind) }
        guard let data = drawers[kind]?.draw(message, channel) else { return nil }
        var scene = message
        scene.data = data[...]
        return scene
    }

    private func drawer(of kind: PayloadKind) -> (any MessageDrawer)? {
        func open<P: WirePayload>(_ payload: P.Type) -> (any MessageDrawer)? { try? Drawer<P>(yGrows: yGrows) }
        let payload: any WirePayload.Type = kind.type
        return open(payload)
    }
}

/// Draws the messages of one kind.
private protocol MessageDrawer {
    mutating func draw(_ message: Message, _ channel: Channel) -> [UInt8]?
}

private struct Drawer<P: WirePayload>: MessageDrawer {
    private var json: MessageDecoder<P>
    private var packed: MessageDecoder<P>
    private var scene: Scene
    private var message = TextBuffer()
    private var text = TextBuffer()

    init(yGrows: VerticalDirection) throws {
        var options = DecodeOptions()
        options.format = .json
        json = try MessageDecoder(options, defaultStream: "", numbering: nil)
        options.format = .msgpack
        packed = try MessageDecoder(options, defaultStream: "", numbering: nil)
        scene = Scene(yGrows: yGrows)
    }

    mutating func draw(_ message: Message, _ channel: Channel) -> [UInt8]? {
        self.message.clear()
        message.data.withUnsafeBytes { self.message.plain($0) }
        let time = Int64(clamping: message.publishTime / 1000)
        // A message that is no frame is copied like any other, and who reads the copy is told of it.
        guard
            let frame = self.message.withPaddedBytes({ bytes in
                switch channel.messageEncoding {
                case "json": try? json.decode(bytes, stream: StreamID(channel.topic), receivedAt: time).frame
                case "msgpack": try? packed.decode(bytes, stream: StreamID(channel.topic), receivedAt: time).frame
                default: nil
                }
            })
        else { return nil }
        text.clear()
        scene.write(frame, at: message.publishTime, into: &text)
        return text.bytes
    }
}
