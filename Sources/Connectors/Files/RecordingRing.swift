import MCAP
import Pipeline
import Stages
import Synchronization

/// A buffer that keeps the last messages of a recording in memory until they are saved.
package final class RecordingRing: Sendable {
    private struct Entry {
        let stream: StreamID
        let sequence: UInt32
        /// The time at which the message was added, in nanoseconds of the run's clock.
        let came: Int64
        let times: (log: UInt64, publish: UInt64)
        let data: [UInt8]
    }

    private struct State {
        var entries: [Entry] = []
        /// The index of the oldest entry that is kept.
        var first = 0
        var schema: Schema?
        var metadata: [Metadata] = []
        /// The direction in which y grows in the frames; `nil` if no scenes are written.
        var scenes: VerticalDirection?

        mutating func forget(before time: Int64) {
            while first < entries.count, entries[first].came < time { first += 1 }
            guard first > 64, first > entries.count / 2 else { return }
            entries.removeFirst(first)
            first = 0
        }
    }

    private let time: Int64
    private let state = Lock(State())

    /// Creates a ring that keeps the messages of the last `time` nanoseconds.
    package init(last time: Int64) { self.time = time }

    /// Sets the schema and the metadata of the messages.
    ///
    /// - Parameter scenes: The direction in which y grows in the frames; `nil` to write no scenes.
    func begin(_ schema: Schema, _ metadata: [Metadata], scenes: VerticalDirection? = nil) {
        state.withLock { ($0.schema, $0.metadata, $0.scenes) = (schema, metadata, scenes) }
    }

    /// Adds a message, and evicts messages that have become too old. O(1), amortized.
    func keep(
        _ stream: StreamID, _ sequence: UInt32, came: Int64, _ times: (log: UInt64, publish: UInt64), _ data: [UInt8]
    ) {
        state.withLock { state in
            state.entries.append(Entry(stream: stream, sequence: sequence, came: came, times: times, data: data))
            state.forget(before: came.subtractingSaturated(time))
        }
    }

    /// Writes the kept messages to a file. An existing file at the path is overwritten.
    ///
    /// - Parameter now: The time of the run's clock. Messages that are too old at this time are left out.
    /// - Returns: The number of messages written.
    /// - Throws: An environment error if the file cannot be written.
    package func save(to path: String, _ packing: FileSink.Packing, now: Int64) throws -> Int {
        let (entries, schema, metadata, yGrows) = state.withLock { state in
            state.forget(before: now.subtractingSaturated(time))
            return (Array(state.entries[state.first...]), state.schema, state.metadata, state.scenes)
        }
        var written = 0
        do throws(MCAPError) {
            let writer = try Writer(FileOutput(path: path), .recording(packing.ofChunks))
            if let schema { try writer.add(schema) }
            for metadata in metadata { try writer.add(metadata) }
            let sceneSchema = (schema?.id ?? 0) + 1
            if yGrows != nil { try writer.add(RecordedScenes.schema(id: sceneSchema)) }
            var scenes = yGrows.map { RecordedScenes(yGrows: $0) }
            // With scenes, each stream has two channels with consecutive numbers: one for its frames and one for its scenes.
            let step = scenes == nil ? 1 : 2
            var channels: [StreamID: Channel] = [:]
            for entry in entries {
                if channels[entry.stream] == nil, (channels.count + 1) * step <= Int(UInt16.max) {
                    let new = Channel(
                        id: UInt16(channels.count * step), schemaID: schema?.id ?? 0, topic: entry.stream.name,
                        messageEncoding: "json")
                    channels[entry.stream] = new
                    try writer.add(new)
                    if scenes != nil {
                        try writer.add(
                            RecordedScenes.channel(id: new.id + 1, schema: sceneSchema, of: entry.stream.name))
                    }
                }
                // A file has at most 65,535 channels. The messages of further streams are left out.
                guard let channel = channels[entry.stream] else { continue }
                let message = Message(
                    channelID: channel.id, sequence: entry.sequence, logTime: entry.times.log,
                    publishTime: entry.times.publish, data: entry.data[...])
                try writer.write(message)
                written += 1
                if var scene = scenes?.scene(of: message, channel, schema) {
                    scene.channelID += 1
                    try writer.write(scene)
                }
            }
            try writer.finish()
        } catch {
            throw error.writing(path)
        }
        return written
    }
}

/// A sink that adds frames to a ``RecordingRing``.
struct RingWriter<P: WireEncodable>: Sink {
    typealias Input = P

    private let ring: RecordingRing
    private let receipt: CanonicalEncoder.Receipt
    private let scenes: VerticalDirection?
    private let encoder: CanonicalEncoder
    private var text = TextBuffer()
    private var clock: (any RunClock)?
    private var stamps: MessageTimes?

    /// Creates a sink.
    ///
    /// - Parameter scenes: The direction in which y grows in the frames; `nil` to write no scenes.
    init(_ ring: RecordingRing, receipt: CanonicalEncoder.Receipt, scenes: VerticalDirection? = nil) {
        self.ring = ring
        self.scenes = P.self is any ScenePayload.Type ? scenes : nil
        self.receipt = receipt
        encoder = CanonicalEncoder(receipt: receipt)
    }

    var mayBlock: Bool { false }

    mutating func open(_ context: SinkContext) async throws {
        clock = context.clock
        let stamps = MessageTimes(receipt, context.clock)
        self.stamps = stamps
        ring.begin(
            FrameSchema.schema(of: P.self, id: 1),
            [stamps.metadata, context.recordedRun].compactMap(\.self), scenes: scenes)
    }

    mutating func write(_ frame: Frame<P>) throws {
        guard let stamps, let clock else { throw Refusal("no_peer") }
        text.clear()
        try encoder.encode(frame, into: &text)
        ring.keep(
            frame.stream, UInt32(truncatingIfNeeded: frame.sequence), came: clock.now, stamps.times(of: frame),
            text.withBytes { Array($0) })
    }
}
