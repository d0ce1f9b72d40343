import Connectors
import MCAP
import Pipeline
import Stages
import Synchronization

/// Merges the messages of MCAP files into one file. The messages are copied unchanged, in order of log time if all files have
/// indexes.
final class RecordingCopy: Sendable {
    /// The part to copy.
    struct Selection: Sendable {
        /// Names and patterns of topics; all topics if empty.
        var streams: [String] = []
        /// The start in each file, in nanoseconds after its first message of the selected streams.
        var startOffset: UInt64 = 0
        /// The duration from the start, in nanoseconds; `nil` for everything.
        var duration: UInt64?
        /// Whether to replace the scenes in the input by new scenes of the frames.
        var scene = false
    }

    /// The outcome of the copy.
    struct Outcome: Sendable {
        var messages: UInt64 = 0
        /// The number of scenes that were created.
        var scenes: UInt64 = 0
        var problems: [String] = []
        /// The names and patterns of topics that match nothing in any file.
        var unmatched: [String] = []
    }

    private let paths: [String]
    private let selection: Selection
    /// The streams of the copied messages.
    let overlaps = StreamOverlaps()
    private let progress = Lock(ProgressBar("messages"))

    init(_ paths: [String], _ selection: Selection) {
        (self.paths, self.selection) = (paths, selection)
    }

    /// The progress of the copy.
    var bar: ProgressBar { progress.withLock { $0 } }

    /// Writes the copy.
    ///
    /// - Parameter stop: Ends the copy early. The output then is complete except for the later messages.
    /// - Throws: An environment error if a file cannot be read or written.
    func run(to out: String, _ compression: Compression, until stop: StopSignal) throws -> Outcome {
        let patterns = selection.streams.map { (text: $0, glob: Glob($0)) }
        let unmatched = Lock(patterns)
        let isWanted: @Sendable (Channel) -> Bool = { channel in
            unmatched.withLock { $0.removeAll { $0.glob.matches(channel.topic) } }
            return patterns.isEmpty || patterns.contains { $0.glob.matches(channel.topic) }
        }
        var inputs = try paths.map { try RecordingInput($0, isWanted) }
        let total = inputs.reduce(UInt64(0)) { $0.addingSaturated($1.messageCount) }
        progress.withLock { $0.total = Int64(clamping: total) }
        var options = WriterOptions()
        options.compression = compression
        options.selfContainedChunks = true
        (options.profile, options.library) = (inputs.first?.header.profile ?? "", "pipeline")
        var outcome = Outcome()
        do throws(MCAPError) {
            let writer = try Writer(FileOutput(path: out), options)
            var channels = ChannelMapping(writer)
            for place in inputs.indices { try inputs[place].copyRest(to: writer) }
            let spans = inputs.map { input in
                let origin = (input.next?.logTime ?? 0).addingSaturated(selection.startOffset)
                // In a file without an index, a later message can have an earlier time than the first one.
                let start = selection.startOffset > 0 ? origin : 0
                return (start: start, end: selection.duration.map { origin.addingSaturated($0) } ?? .max)
            }
            var read: UInt64 = 0
            var scenes = selection.scene ? RecordedScenes() : nil
            // A linear search for the earliest message is fast enough for the few files that are merged.
            while !stop.isRequested,
                let place = inputs.indices.filter({ inputs[$0].next != nil }).min(by: {
                    (inputs[$0].next?.logTime ?? 0, $0) < (inputs[$1].next?.logTime ?? 0, $1)
                }), var message = inputs[place].next
            {
                let (channel, schema) = inputs[place].channel(message.channelID)
                inputs[place].advance()
                try inputs[place].copyRest(to: writer)
                read += 1
                if read & 1023 == 0 { showProgress(read) }
                guard message.logTime >= spans[place].start else { continue }
                if message.logTime > spans[place].end {
                    inputs[place].skipLater()
                    continue
                }
                if scenes != nil, RecordedScenes.holdsScenes(channel, schema) { continue }
                let scene = scenes?.scene(of: message, channel, schema)
                if paths.count > 1, let channel {
                    overlaps.note(channel.topic, at: Int64(clamping: message.logTime), in: place)
                }
                let old = message.channelID
                message.channelID = try channels.number(of: old, in: place, channel, schema)
                try writer.write(message)
                outcome.messages += 1
                guard var scene, let channel else { continue }
                // The channels of added scenes are mapped as if they were in additional files, with numbers from `inputs.count`
                // on.
                scene.channelID = try channels.number(
                    of: old, in: inputs.count + place,
                    RecordedScenes.channel(id: old, schema: 1, of: channel.topic), RecordedScenes.schema(id: 1))
                try writer.write(scene)
                outcome.scenes += 1
            }
            try writer.finish()
        } catch {
            throw PipelineError.environment("file.unwritable", "\(out): \(error)")
        }
        outcome.problems = inputs.flatMap(\.problems)
        outcome.unmatched = unmatched.withLock { $0.map(\.text) }
        return outcome
    }

    private func showProgress(_ read: UInt64) {
        progress.withLock { ($0.done, $0.items) = (Int64(clamping: read), Int64(clamping: read)) }
    }
}
