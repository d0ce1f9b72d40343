import MCAP
import Pipeline
import Synchronization

/// A recording of a whole run: what its sources brought and when, what went into its sinks, and what was dropped.
///
/// Every stream of a source, and of what a sink takes, is a channel; its metadata say which node it belongs to.
package final class RecordingBox: Sendable {
    /// What a channel holds.
    package enum Role: String, Sendable { case input, result }

    private struct Key: Hashable {
        let node: String
        let role: String
        let stream: StreamID
        let kind: String
    }

    private struct Node {
        /// When its last message came.
        var latest: UInt64 = 0
        var messages: UInt64 = 0
        var digest = SHA256()
    }

    private struct State {
        var schemas: [String: UInt16] = [:]
        var channels: [Key: UInt16] = [:]
        var nodes: [String: Node] = [:]
        var isOver = false
    }

    private let writer: SharedWriter
    private let path: String
    private let stamps: MessageStamps
    private let clock: any RunClock
    private let state = Lock(State())

    /// Begins a file, in place of what may be there.
    ///
    /// - Throws: An environment error when it cannot be written.
    package init(_ path: String, _ clock: any RunClock) throws {
        (self.path, self.clock) = (path, clock)
        stamps = MessageStamps(.ofRun, clock)
        var settings = WriterOptions()
        settings.library = "pipeline"
        settings.selfContainedChunks = true
        do throws(MCAPError) {
            writer = SharedWriter(
                try Writer(FileOutput(path: path), settings), flushesByItself: clock is SystemClock)
        } catch {
            throw error.writing(path)
        }
    }

    /// Keeps a file in it.
    package func keep(_ name: String, _ mediaType: String, _ bytes: [UInt8]) throws {
        do throws(MCAPError) {
            try writer.add(Attachment(logTime: 0, createTime: 0, name: name, mediaType: mediaType, data: bytes))
        } catch {
            throw error.writing(path)
        }
    }

    /// A sink that keeps what comes.
    package func sink(for input: PortType, of node: String, _ role: Role) throws -> any Sink {
        try Maker(box: self, node: node, role: role).sink(for: input)
    }

    private struct Maker: SinkMaker {
        let box: RecordingBox
        let node: String
        let role: Role

        func make<P: WireEncodable>(_ payload: P.Type) -> CompiledSink<P> {
            CompiledSink(BoxSink<P>(box, node, role))
        }
    }

    /// Keeps a drop, as JSON.
    package func note(_ drop: DropRecord) {
        let json = JSONValue.object([
            ("stream", .string(drop.stream.name)), ("t_us", .integer(Int(drop.timestamp.rawValue))),
            ("seq", .integer(Int(drop.sequence))), ("where", .string(drop.place)),
            ("why", .string(drop.reason.rawValue)),
        ]).text(isIndented: false)
        // What cannot be written is told by the sinks, which write to the same file.
        try? write(
            Array(json.utf8), "drop", "", node: "drops", "drops", sequence: 0,
            (UInt64(clamping: clock.now.addingSaturated(stamps.clockOffset)), 0), schema: nil)
    }

    fileprivate func write<P: WireEncodable>(
        _ bytes: [UInt8], _ frame: Frame<P>, of node: String, _ role: Role
    ) throws {
        try write(
            bytes, role.rawValue, P.kind.rawValue, node: node, frame.stream, sequence: frame.sequence,
            stamps.times(of: frame), schema: { FrameSchema.schema(of: P.kind.rawValue, keys: P.wireKeys, id: $0) })
    }

    fileprivate func writeEnd<P: WireEncodable>(
        _ bytes: [UInt8], _ stream: StreamID, of node: String, _ role: Role, _ payload: P.Type
    ) throws {
        try write(
            bytes, role.rawValue, P.kind.rawValue, node: node, stream, sequence: 0, (0, 0),
            schema: { FrameSchema.schema(of: P.kind.rawValue, keys: P.wireKeys, id: $0) })
    }

    private func write(
        _ bytes: [UInt8], _ role: String, _ kind: String, node: String, _ stream: StreamID, sequence: Int64,
        _ times: (log: UInt64, publish: UInt64), schema: ((UInt16) -> Schema)?
    ) throws {
        do {
            try state.withLock { state in
                guard !state.isOver else { return }
                let key = Key(node: node, role: role, stream: stream, kind: kind)
                let channel = try channel(key, &state, schema)
                let place = "\(role) \(node)"
                // What a node brings stands in its order, whatever its times say.
                let log = max(times.log, state.nodes[place]?.latest ?? 0)
                state.nodes[place, default: Node()].latest = log
                state.nodes[place]?.messages += 1
                state.nodes[place]?.digest.add(bytes)
                state.nodes[place]?.digest.add([0x0A])
                try bytes.withUnsafeBytes { data in
                    try writer.write(
                        channel, sequence: UInt32(truncatingIfNeeded: sequence), logTime: log,
                        publishTime: times.publish, data, now: clock.now)
                }
            }
        } catch let error as MCAPError {
            throw error.writing(path)
        }
    }

    private func channel(
        _ key: Key, _ state: inout State, _ schema: ((UInt16) -> Schema)?
    ) throws(MCAPError) -> UInt16 {
        if let known = state.channels[key] { return known }
        var number: UInt16 = 0
        if let schema {
            if let known = state.schemas[key.kind] {
                number = known
            } else {
                number = UInt16(clamping: state.schemas.count + 1)
                state.schemas[key.kind] = number
                try writer.add(schema(number))
            }
        }
        guard let id = UInt16(exactly: state.channels.count) else {
            throw MCAPError(.misuse, "a recording holds no more than 65,536 streams")
        }
        state.channels[key] = id
        try writer.add(
            Channel(
                id: id, schemaID: number, topic: key.stream.name, messageEncoding: "json",
                metadata: [StringPair("role", key.role), StringPair("node", key.node)]))
        return id
    }

    fileprivate func flush() throws {
        do throws(MCAPError) { try writer.flushIfOld(now: clock.now) } catch { throw error.writing(path) }
    }

    /// Writes the end of the file, with what is said of the run and a digest of what each node brought.
    package func finish(_ values: [(String, String)]) throws {
        let nodes = state.withLock { state in
            state.isOver = true
            return state.nodes.sorted { $0.key < $1.key }
        }
        let digests = nodes.map { StringPair($0.key, "\($0.value.messages) \($0.value.digest.hex)") }
        do throws(MCAPError) {
            try writer.add(
                Metadata(name: Self.manifest, values: values.map { StringPair($0.0, $0.1) } + digests))
            try writer.finish()
        } catch {
            throw error.writing(path)
        }
    }

    /// The name of the metadata that say what a run was.
    package static let manifest = "pipeline.manifest"

    /// What a channel holds, and of which node; `nil` for one of another recording.
    package static func role(of channel: Channel) -> (role: Role, node: String)? {
        func value(_ key: String) -> String? { channel.metadata.first { $0.key == key }?.value }
        guard let role = value("role").flatMap(Role.init(rawValue:)), let node = value("node") else { return nil }
        return (role, node)
    }
}

/// The sink that keeps the frames of a node in a ``RecordingBox``.
private struct BoxSink<P: WireEncodable>: Sink {
    typealias Input = P

    private let box: RecordingBox
    private let node: String
    private let role: RecordingBox.Role
    private let encoder = CanonicalEncoder(receipt: .none)
    private var text = TextBuffer()

    init(_ box: RecordingBox, _ node: String, _ role: RecordingBox.Role) {
        (self.box, self.node, self.role) = (box, node, role)
    }

    mutating func write(_ frame: Frame<P>) throws {
        text.clear()
        try encoder.encode(frame, into: &text)
        try box.write(text.withBytes { Array($0) }, frame, of: node, role)
    }

    mutating func flush() throws { try box.flush() }

    mutating func end(_ stream: StreamID) throws {
        // Results are compared frame by frame.
        guard role == .input else { return }
        text.clear()
        encoder.encodeEnd(of: stream, kind: P.kind, sequence: 0, at: .zero, into: &text)
        try box.writeEnd(text.withBytes { Array($0) }, stream, of: node, role, P.self)
    }
}
