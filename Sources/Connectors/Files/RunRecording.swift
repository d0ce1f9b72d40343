import MCAP
import Pipeline
import PipelineComponents
import Synchronization

/// A recording of a whole run: the frames that entered from outside, with their arrival times; the items that each task took from
/// its edges; the frames that the sinks received; and the drops.
///
/// Each stream of a source or a sink is a channel. The channel's metadata names the node. The items that a task took form a channel
/// of their own, encoded by a ``TapeEncoder``.
///
/// If the file cannot be written, the recording ends and requests ``hasFailed``; ``finish(_:)`` throws the error. The sinks whose
/// frames are recorded go on, because nothing is wrong with them.
package final class RunRecording: Sendable {
    /// The role of a channel in the recording.
    package enum Role: String, CaseIterable, Sendable {
        /// `input`: the frames of a source. `answer`: the frames of an asynchronous stage, which other programs made; in recordings
        /// of earlier versions, their role is `input`. `failure`: the frames that failed in a node.
        case input, answer, failure

        /// Whether the frames came from outside the run, so that a replay of the run reads them.
        package var isFromOutside: Bool { self == .input || self == .answer }

        /// The frames that a sink received.
        case result

        /// The frames that were dropped, with the place and the reason.
        case drop

        /// The items that a task took from its edges, in order.
        case tape
    }

    private struct Key: Hashable {
        let node: String
        let role: Role
        let stream: StreamID
        let kind: String
    }

    private struct Node {
        /// The log time of the node's last message, in nanoseconds.
        var latest: UInt64 = 0
        var messages: UInt64 = 0
        var digest = SHA256()
    }

    private struct State {
        var schemas: [String: UInt16] = [:]
        var channels: [Key: UInt16] = [:]
        /// The state of each node, by role and `id`, as in `result stdout`.
        var nodes: [String: Node] = [:]
        var tapes: [String: TapeEncoder] = [:]
        /// Whether nothing more is written.
        var isOver = false
        /// The error that ended the recording.
        var failure: PipelineError?
    }

    private let writer: SharedWriter
    private let path: String
    private let stamps: MessageTimes
    private let clock: any RunClock
    private let state = Lock(State())

    /// Requested when the file cannot be written.
    package let hasFailed = StopSignal()

    /// Creates a recording. An existing file at the path is overwritten.
    ///
    /// - Throws: An environment error if the file cannot be written.
    package init(_ path: String, _ clock: any RunClock) throws {
        (self.path, self.clock) = (path, clock)
        stamps = MessageTimes(.ofRun, clock)
        do throws(MCAPError) {
            writer = SharedWriter(
                try Writer(FileOutput(path: path), .recording()), flushesByItself: clock is SystemClock)
        } catch {
            throw error.writing(path)
        }
    }

    /// Stores a file in the recording, as an attachment.
    package func keep(_ name: String, _ mediaType: String, _ bytes: [UInt8]) throws {
        do throws(MCAPError) {
            try writer.add(Attachment(logTime: 0, createTime: 0, name: name, mediaType: mediaType, data: bytes))
        } catch {
            throw error.writing(path)
        }
    }

    /// Returns a sink that records the frames it receives.
    ///
    /// - Parameter other: The sink that receives the frames after they are recorded, if there is one.
    package func sink(for input: PortType, of node: String, _ role: Role, before other: (any Sink)? = nil) throws
        -> any Sink
    {
        try Maker(recording: self, node: node, role: role, other: other).sink(for: input)
    }

    struct Maker: SinkMaker {
        let recording: RunRecording
        let node: String
        let role: Role
        let other: (any Sink)?

        func make<P: WireEncodable>(_ payload: P.Type) -> CompiledSink<P> {
            let keeper = RunRecordingSink<P>(recording, node, role)
            guard let other = other as? any Sink<P> else { return CompiledSink(keeper) }
            return kept(other, keeper)
        }

        private func kept<S: Sink>(_ sink: S, _ keeper: any Sink<S.Input>) -> CompiledSink<S.Input> {
            CompiledSink(KeptSink(keeper: keeper, other: sink))
        }
    }

    /// Records the items that a task took.
    package func keep(_ items: [TapeItem], of node: String) {
        let packed = state.withLock { state -> [UInt8]? in
            for item in items { state.tapes[node, default: TapeEncoder()].add(item) }
            guard let bytes = state.tapes[node]?.bytes, bytes.count >= Self.tapePiece else { return nil }
            state.tapes[node]?.bytes = []
            return bytes
        }
        if let packed { write(tape: packed, of: node) }
    }

    /// The number of encoded bytes after which the items of a task are written to the file.
    private static var tapePiece: Int { 16_384 }

    private func write(tape bytes: [UInt8], of node: String) {
        write(bytes, .tape, "", node: node, StreamID(node), sequence: 0, (now, 0), schema: nil)
    }

    private var now: UInt64 { UInt64(clamping: clock.now.addingSaturated(stamps.clockOffset)) }

    /// Records a drop, as JSON.
    package func note(_ drop: DropRecord) {
        let json = JSONValue.object([
            ("stream", .string(drop.stream.name)), ("t_us", .integer(Int(drop.timestamp.rawValue))),
            ("seq", .integer(Int(drop.sequence))), ("where", .string(drop.place)),
            ("why", .string(drop.reason.rawValue)),
        ]).text(isIndented: false)
        write(
            Array(json.utf8), .drop, "", node: "drops", "drops", sequence: 0, (now, 0), schema: nil)
    }

    fileprivate func write<P: WireEncodable>(
        _ bytes: [UInt8], _ frame: Frame<P>, of node: String, _ role: Role
    ) {
        write(
            bytes, role, P.kind.rawValue, node: node, frame.stream, sequence: frame.sequence,
            stamps.times(of: frame), schema: { FrameSchema.schema(of: P.self, id: $0) })
    }

    fileprivate func writeEnd<P: WireEncodable>(
        _ bytes: [UInt8], _ stream: StreamID, of node: String, _ role: Role, _ payload: P.Type
    ) {
        write(
            bytes, role, P.kind.rawValue, node: node, stream, sequence: 0, (0, 0),
            schema: { FrameSchema.schema(of: P.self, id: $0) })
    }

    private func write(
        _ bytes: [UInt8], _ role: Role, _ kind: String, node: String, _ stream: StreamID, sequence: Int64,
        _ times: (log: UInt64, publish: UInt64), schema: ((UInt16) -> Schema)?
    ) {
        attempt { state in
            let key = Key(node: node, role: role, stream: stream, kind: kind)
            let channel = try channel(key, &state, schema)
            let place = "\(role.rawValue) \(node)"
            // Log times must not go back, so that a reader gets a node's messages in their original order.
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
    }

    /// Writes to the file, unless the recording is over. An error ends the recording.
    private func attempt(_ body: (inout State) throws -> Void) {
        let failsNow = state.withLock { state in
            guard !state.isOver else { return false }
            do {
                try body(&state)
                return false
            } catch {
                state.isOver = true
                state.failure = (error as? MCAPError)?.writing(path) ?? PipelineError(wrapping: error)
                return true
            }
        }
        if failsNow { hasFailed.request() }
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
            throw MCAPError(.misuse, "a recording holds no more than 65,536 channels, one for each stream of each node")
        }
        state.channels[key] = id
        try writer.add(
            Channel(
                id: id, schemaID: number, topic: key.stream.name,
                messageEncoding: key.role == .tape ? "pipeline.tape" : "json",
                metadata: [StringPair("role", key.role.rawValue), StringPair("node", key.node)]))
        return id
    }

    fileprivate func flush() { attempt { _ in try writer.flushIfOld(now: clock.now) } }

    /// Writes all messages in memory to the file.
    fileprivate func drain() { attempt { _ in try writer.flush() } }

    /// Finishes the recording. Writes the remaining items of tasks, and a metadata record with `values` and with the message count
    /// and the digest of each node.
    ///
    /// - Throws: An environment error if any part of the recording could not be written.
    package func finish(_ values: [(String, String)]) throws {
        let tapes = state.withLock { $0.tapes.filter { !$0.value.bytes.isEmpty } }
        for (node, tape) in tapes.sorted(by: { $0.key < $1.key }) { write(tape: tape.bytes, of: node) }
        let nodes = try state.withLock { state in
            if let failure = state.failure { throw failure }
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

    /// The name of the metadata record that describes the run.
    package static let manifest = "pipeline.manifest"

    /// Returns the role and the node of a channel, or `nil` if the channel does not belong to the recording of a whole run.
    package static func role(of channel: Channel) -> (role: Role, node: String)? {
        func value(_ key: String) -> String? { channel.metadata.first { $0.key == key }?.value }
        guard let role = value("role").flatMap(Role.init(rawValue:)), let node = value("node") else { return nil }
        return (role, node)
    }
}

/// A sink that writes the frames of a node to a ``RunRecording``.
private struct RunRecordingSink<P: WireEncodable>: Sink {
    typealias Input = P

    private let recording: RunRecording
    private let node: String
    private let role: RunRecording.Role
    private let encoder = CanonicalEncoder(receipt: .none)
    private var text = TextBuffer()

    init(_ recording: RunRecording, _ node: String, _ role: RunRecording.Role) {
        (self.recording, self.node, self.role) = (recording, node, role)
    }

    mutating func write(_ frame: Frame<P>) throws {
        text.clear()
        try encoder.encode(frame, into: &text)
        recording.write(text.withBytes { Array($0) }, frame, of: node, role)
    }

    mutating func flush() { recording.flush() }

    mutating func drain() { recording.drain() }

    mutating func end(_ stream: StreamID, _ end: StreamEnd) {
        // Only the channels of frames from outside record the ends of streams. The tapes of the tasks contain all other ends.
        guard role.isFromOutside else { return }
        text.clear()
        encoder.encodeEnd(of: stream, kind: P.kind, sequence: 0, at: .zero, end, into: &text)
        recording.writeEnd(text.withBytes { Array($0) }, stream, of: node, role, P.self)
    }
}

/// A sink that records each frame and then passes it on to another sink.
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

    mutating func drain() throws {
        try keeper.drain()
        try other.drain()
    }

    mutating func discard() { other.discard() }

    mutating func end(_ stream: StreamID, _ end: StreamEnd) throws { try other.end(stream, end) }

    mutating func release(_ stream: StreamID) { other.release(stream) }

    mutating func close() async throws { try await other.close() }
}
