import Connectors
import MCAP
import Pipeline
import Stages
import Synchronization

/// Copies the readable parts of a damaged MCAP file to a new file.
final class RecordingRecovery: Sendable {
    /// The outcome of the recovery.
    struct Outcome: Sendable {
        var messages: UInt64 = 0
        /// The number of messages, attachments and metadata records.
        var records: UInt64 = 0
        var losses: [RecoveringReader.Loss] = []
        var lossCount = 0
        var hadIndex = false
    }

    private let path: String
    private let progress = Lock(ProgressBar("messages"))

    init(_ path: String) {
        self.path = path
    }

    /// The progress of the recovery.
    var bar: ProgressBar { progress.withLock { $0 } }

    /// Writes everything that can be read to a new file. Creates no file if the input is damaged and nothing in it can be read.
    ///
    /// - Parameter stop: Ends the recovery early. The output then has what was read until then.
    /// - Throws: An environment error if a file cannot be read or written.
    func run(to out: String, _ compression: Compression, until stop: StopSignal) throws -> Outcome {
        if OutputFile.isFolder(path) {
            throw PipelineError.environment("file.unreadable", "\(path) cannot be read: it is a folder")
        }
        let input: FileInput
        do throws(MCAPError) { input = try FileInput(path: path) } catch { throw error.reading(path) }
        progress.withLock { $0.total = Int64(clamping: input.size ?? 0) }
        do throws(MCAPError) { return try copy(input, to: out, compression, stop) } catch {
            throw PipelineError.environment("file.unwritable", "\(out): \(error)")
        }
    }

    private func copy(
        _ input: FileInput, to out: String, _ compression: Compression, _ stop: StopSignal
    ) throws(MCAPError) -> Outcome {
        var reader = RecoveringReader(input)
        var outcome = Outcome()
        outcome.hadIndex = reader.hasIndex
        var options = WriterOptions()
        options.compression = compression
        options.selfContainedChunks = true
        var copy: (writer: Writer, channels: ChannelMapping)?
        func target() throws(MCAPError) -> Writer {
            if let copy { return copy.writer }
            let writer = try Writer(FileOutput(path: out), options)
            copy = (writer, ChannelMapping(writer))
            return writer
        }
        while !stop.isRequested, let record = try reader.next() {
            switch record {
            case .header(let header): (options.profile, options.library) = (header.profile, header.library)
            case .message(var message):
                let writer = try target()
                let channel = reader.channels[message.channelID]
                let schema = channel.flatMap { reader.schemas[$0.schemaID] }
                message.channelID = try copy?.channels.number(of: message.channelID, in: 0, channel, schema) ?? 0
                try writer.write(message)
                outcome.messages += 1
                outcome.records += 1
                if outcome.messages & 1023 == 0 { showProgress(reader.readUpTo, outcome.messages) }
            case .attachment(let attachment):
                try target().add(attachment)
                outcome.records += 1
            case .metadata(let metadata):
                try target().add(metadata)
                outcome.records += 1
            default: break
            }
        }
        (outcome.losses, outcome.lossCount) = (reader.losses, reader.lossCount)
        if outcome.records == 0, outcome.lossCount == 0 {
            // The file is intact but has no records. Write an empty file, and count one record, so that this is not reported as a
            // failure.
            _ = try target()
            outcome.records = 1
        }
        try copy?.writer.finish()
        return outcome
    }

    private func showProgress(_ bytes: UInt64, _ messages: UInt64) {
        progress.withLock { ($0.done, $0.items) = (Int64(clamping: bytes), Int64(clamping: messages)) }
    }
}
