import MCAP
import Pipeline
import PipelineComponents
import Synchronization

/// A recording of a whole run: what came from outside and when, what each task took, what went into its sinks, and what was dropped.
///
/// Every stream of a source, and of what a sink takes, is a channel; its metadata say which node it belongs to. What a task took
/// is a channel of its own, packed by a ``TapeEncoder``.
package final class RecordingBox: Sendable {
    /// What a channel holds.
    package enum Role: String, CaseIterable, Sendable {
        /// What a node brought from outside, and the frames that it refused.
        case input, failure

        /// What a sink took.
        case result

        /// What was dropped, and where.
        case drop

        /// What a task took from its edges, in order.
        case tape
    }

    private struct Key: Hashable {
        let node: String
        let role: Role
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
        var tapes: [String: TapeEncoder] = [:]
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
        do throws(MCAPError) {
            writer = SharedWriter(
                try Writer(FileOutput(path: path), .recording()), flushesByItself: clock is SystemClock)
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
    ///
    /// - Parameter other: The sink that gets it then, if there is one.
    package func sink(for input: PortType, of node: String, _ role: Role, before other: (any Sink)? = nil) throws
        -> any Sink
    {
        try Maker(box: self, node: node, role: role, other: other).sink(for: input)
    }

    struct Maker: SinkMaker {
        let box: RecordingBox
        let node: String
        let role: Role
        let other: (any Sink)?

        func make<P: WireEncodable>(_ payload: P.Type) -> CompiledSink<P> {
            let keeper = BoxSink<P>(box, node, role)
            guard let other = other as? any Sink<P> else { return CompiledSink(keeper) }
            return kept(other, keeper)
        }

        private func kept<S: Sink>(_ sink: S, _ keeper: any Sink<S.Input>) -> CompiledSink<S.Input> {
            CompiledSink(KeptSink(keeper: keeper, other: sink))
        }
    }

    /// Keeps what a task took.
    package func keep(_ items: [TapeItem], of node: String) {
        let packed = state.withLock { state -> [UInt8]? in
            for item in items { state.tapes[node, default: TapeEncoder()].add(item) }
            guard let bytes = state.tapes[node]?.bytes, bytes.count >= Self.tapePiece else { return nil }
            state.tapes[node]?.bytes = []
            return bytes
        }
        if let packed { write(tape: packed, of: node) }
    }

    private static var tapePiece: Int { 16_384 }

    private func write(tape bytes: [UInt8], of node: String) {
        // What cannot be written is told by the sinks, which write to the same file.
        try? write(bytes, .tape, "", node: node, StreamID(node), sequence: 0, (now, 0), schema: nil)
    }

    private var now: UInt64 { UInt64(clamping: clock.now.addingSaturated(stamps.clockOffset)) }

    /// Keeps a drop, as JSON.
    package func note(_ drop: DropRecord) {
        let json = JSONValue.object([
            ("stream", .string(drop.stream.name)), ("t_us", .integer(Int(drop.timestamp.rawValue))),
            ("seq", .integer(Int(drop.sequence))), ("where", .string(drop.place)),
            ("why", .string(drop.reason.rawValue)),
        ]).text(isIndented: false)
        // What cannot be written is told by the sinks, which write to the same file.
        try? write(
            Array(json.utf8), .drop, "", node: "drops", "drops", sequence: 0, (now, 0), schema: nil)
    }

    fileprivate func write<P: WireEncodable>(
        _ bytes: [UInt8], _ frame: Frame<P>, of node: String, _ role: Role
    ) throws {
        try write(
            bytes, role, P.kind.rawValue, node: node, frame.stream, sequence: frame.sequence,
            stamps.times(of: frame), schema: { FrameSchema.schema(of: P.self, id: $0) })
    }

    fileprivate func writeEnd<P: WireEncodable>(
        _ bytes: [UInt8], _ stream: StreamID, of node: String, _ role: Role, _ payload: P.Type
    ) throws {
        try write(
            bytes, role, P.kind.rawValue, node: node, stream, sequence: 0, (0, 0),
            schema: { FrameSchema.schema(of: P.self, id: $0) })
    }

    private func write(
        _ bytes: [UInt8], _ role: Role, _ kind: String, node: String, _ stream: StreamID, sequence: Int64,
        _ times: (log: UInt64, publish: UInt64), schema: ((UInt16) -> Schema)?
    ) throws {
        do {
            try state.withLock { state in
                guard !state.isOver else { return }
                let key = Key(node: node, role: role, stream: stream, kind: kind)
                let channel = try channel(key, &state, schema)
                let place = "\(role.rawValue) \(node)"
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
                id: id, schemaID: number, topic: key.stream.name,
                messageEncoding: key.role == .tape ? "pipeline.tape" : "json",
                metadata: [StringPair("role", key.role.rawValue), StringPair("node", key.node)]))
        return id
    }

    fileprivate func flush() throws {
        do throws(MCAPError) { try writer.flushIfOld(now: clock.now) } catch { throw error.writing(path) }
    }

    /// Writes the end of the file, with what is said of the run and a digest of what each node brought.
    package func finish(_ values: [(String, String)]) throws {
        let tapes = state.withLock { $0.tapes.filter { !$0.value.bytes.isEmpty } }
        for (node, tape) in tapes.sorted(by: { $0.key < $1.key }) { write(tape: tape.bytes, of: node) }
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
        // A tape has the ends that anybody heard of.
        guard role == .input else { return }
        text.clear()
        encoder.encodeEnd(of: stream, kind: P.kind, sequence: 0, at: .zero, into: &text)
        try box.writeEnd(text.withBytes { Array($0) }, stream, of: node, role, P.self)
    }
}

/// Keeps what a sink takes.
private struct KeptSink<S: Sink>: Sink {
    typealias Input = S.Input

    var keeper: any Sink<S.Input>
    var other: S

    var mayBlock: Bool { other.mayBlock }

    mutating func open(_ context: SinkContext) async throws { try await other.open(context) }

    var unwritten: Int { other.unwritten }

    mutating func write(_ frame: Frame<S.Input>) throws {
        try keeper.write(frame)
        try other.write(frame)
    }

    mutating func flush() throws {
        try keeper.flush()
        try other.flush()
    }

    mutating func discard() { other.discard() }

    mutating func end(_ stream: StreamID) throws { try other.end(stream) }

    mutating func close() async throws { try await other.close() }
}
