import Connectors
import MCAP
import Pipeline
import Stages

extension RecordingInfo {
    /// Returns the contents of an MCAP file. Reads only its index; if the index is missing or unreadable, reads the whole file.
    ///
    /// - Throws: An environment error if the file cannot be read or is not an MCAP file.
    static func ofMCAP(_ path: String) throws -> RecordingInfo {
        try MCAPFile.refusePipe(path)
        do throws(MCAPError) {
            let input = try FileInput(path: path)
            var info = RecordingInfo(path: path, format: "MCAP", size: Int64(clamping: input.size ?? 0))
            do throws(MCAPError) {
                // A copy, so that nothing is left of an index that turns out to be unreadable.
                var indexed = info
                try indexed.readIndex(IndexedReader(input))
                return indexed
            } catch {
                if error.code == .notMCAP || error.code == .system { throw error }
                if error.code != .noIndex { info.problem = error.description }
                try info.readAll(input)
            }
            return info
        } catch {
            throw error.reading(path)
        }
    }

    private mutating func readIndex(_ index: IndexedReader) throws(MCAPError) {
        guard let statistics = index.statistics else { throw MCAPError(.noIndex, "the summary holds no statistics") }
        let counts = Dictionary(
            statistics.channelMessageCounts.map { ($0.channelID, $0.messages) },
            uniquingKeysWith: { $0.addingSaturated($1) })
        addStreams(index.channels, index.schemas, counts)
        if statistics.messageCount > 0 { setTimes(statistics.messageStartTime, statistics.messageEndTime) }
        if !index.header.library.isEmpty { notes.append(("written by", index.header.library)) }
        if !index.chunkIndexes.isEmpty {
            let packed = index.chunkIndexes.reduce(0) { $0 + Double($1.compressedSize) }
            let unpacked = index.chunkIndexes.reduce(0) { $0 + Double($1.uncompressedSize) }
            let names = Set(index.chunkIndexes.map(\.compression.rawValue)).sorted().map { $0.isEmpty ? "none" : $0 }
            let share = unpacked > 0 ? Int(saturating: packed / unpacked * 100) : 100
            notes.append(
                (
                    "chunks",
                    "\(ProgressBar.grouped(Int64(index.chunkIndexes.count))), \(names.joined(separator: " and ")), \(share) % of the size"
                )
            )
        }
        for attachment in index.attachmentIndexes {
            notes.append(("attachment", "\(attachment.name), \(attachment.mediaType), \(attachment.dataSize) bytes"))
        }
        for metadata in index.metadataIndexes { note(try index.metadata(metadata)) }
    }

    private mutating func readAll(_ input: FileInput) throws(MCAPError) {
        var reader = RecoveringReader(input)
        var counts: [UInt16: UInt64] = [:]
        var span: (UInt64, UInt64)?
        while let record = try reader.next() {
            switch record {
            case .message(let message):
                counts[message.channelID, default: 0] += 1
                span = (min(span?.0 ?? .max, message.logTime), max(span?.1 ?? 0, message.logTime))
            case .attachment(let attachment):
                notes.append(
                    ("attachment", "\(attachment.name), \(attachment.mediaType), \(attachment.data.count) bytes"))
            case .metadata(let metadata): note(metadata)
            default: break
            }
        }
        addStreams(reader.channels, reader.schemas, counts)
        if let span { setTimes(span.0, span.1) }
        notes.append(("index", "none"))
        if let loss = reader.losses.first {
            let others = reader.lossCount - 1
            problem =
                "\(loss.reason); read up to byte \(reader.readUpTo)"
                + (others > 0 ? ", and \(others) more \(others == 1 ? "loss" : "losses")" : "")
        }
    }

    /// Adds a note with the name of a metadata record. For the record about the run that wrote the file, the note also contains
    /// the values, except values with several lines.
    private mutating func note(_ metadata: Metadata) {
        guard metadata.name == "pipeline.run" else { return notes.append(("metadata", metadata.name)) }
        let said = metadata.values.map { $0.value.contains("\n") ? $0.key : "\($0.key) \($0.value)" }
        notes.append(("made by", said.joined(separator: ", ").shown))
    }

    private mutating func addStreams(
        _ channels: [UInt16: Channel], _ schemas: [UInt16: Schema], _ counts: [UInt16: UInt64]
    ) {
        streams = channels.values.sorted { ($0.topic, $0.id) < ($1.topic, $1.id) }.map { channel in
            let schema = schemas[channel.schemaID]?.name ?? ""
            return Stream(
                name: channel.topic, kind: schema.hasPrefix("pipeline.") ? String(schema.dropFirst(9)) : schema,
                encoding: channel.messageEncoding, messages: Int64(clamping: counts[channel.id] ?? 0))
        }
    }

    private mutating func setTimes(_ start: UInt64, _ end: UInt64) {
        let (start, end) = (Int64(clamping: start), Int64(clamping: end))
        times = min(start, end)...max(start, end)
    }
}
