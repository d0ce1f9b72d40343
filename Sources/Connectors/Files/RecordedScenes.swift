import MCAP
import Pipeline
import Stages

/// A converter that turns recorded messages into scenes.
package struct RecordedScenes {
    private let yGrows: VerticalDirection
    private var drawers: [PayloadKind: any MessageDrawer] = [:]

    /// Creates a converter.
    ///
    /// - Parameter yGrows: The direction in which y grows in the frames.
    package init(yGrows: VerticalDirection = .down) { self.yGrows = yGrows }

    /// Returns the schema of scenes.
    package static func schema(id: UInt16) -> Schema { SceneSchema.schema(id: id) }

    /// Returns the channel for the scenes of a topic.
    package static func channel(id: UInt16, schema: UInt16, of topic: String) -> Channel {
        Channel(id: id, schemaID: schema, topic: Scene.topic(of: topic), messageEncoding: "json")
    }

    /// Whether a channel holds scenes that this framework derived from another channel.
    package static func holdsScenes(_ channel: Channel?, _ schema: Schema?) -> Bool {
        SceneSchema.isScene(schema) && channel?.topic.hasPrefix(Scene.topic(of: "")) == true
    }

    /// Returns the scene of a message, with the message's times and sequence number. Returns `nil` if the message is not a frame of
    /// this framework that can be drawn.
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

/// A converter that turns the messages of one kind into scenes.
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
        // A message that cannot be decoded gets no scene. The message itself stays in the recording, and a source that reads the
        // recording reports the error.
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
