import Connectors
import MCAP
import Pipeline
import Stages

/// An input file of a copy. Messages are read in order of log time if the file has an index, otherwise in file order.
struct RecordingInput {
    private enum Reading {
        case indexed(IndexedReader, MessageCursor)
        case recovering(RecoveringReader)
    }

    private let path: String
    private let isWanted: @Sendable (Channel) -> Bool
    private var reading: Reading
    /// The attachments and metadata that were read since the last call of ``copyRest(to:)``, from a file without an index.
    private var rest: [Record] = []
    /// Whether the attachments and metadata that an index lists were copied.
    private var isIndexCopied = false
    /// Descriptions of the parts that could not be read.
    private(set) var problems: [String] = []
    /// The next selected message; `nil` at the end of the file.
    private(set) var next: Message?
    /// The number of messages, if known; otherwise 0.
    let messageCount: UInt64
    let header: MCAP.Header

    /// Opens a file and reads its first selected message.
    ///
    /// - Throws: An environment error if the file cannot be read. A configuration error if it is a pipe.
    init(_ path: String, _ isWanted: @escaping @Sendable (Channel) -> Bool) throws {
        self.path = path
        self.isWanted = isWanted
        try MCAPFile.refusePipe(path)
        do throws(MCAPError) {
            let input = try FileInput(path: path)
            do throws(MCAPError) {
                let index = try IndexedReader(input)
                reading = .indexed(index, try index.messages(where: isWanted))
                messageCount = index.statistics?.messageCount ?? 0
                header = index.header
            } catch {
                if error.code == .notMCAP || error.code == .system { throw error }
                reading = .recovering(RecoveringReader(input))
                messageCount = 0
                header = MCAP.Header()
            }
        } catch {
            throw error.reading(path)
        }
        advance()
    }

    /// Returns a channel and its schema.
    func channel(_ id: UInt16) -> (Channel?, Schema?) {
        switch reading {
        case .indexed(_, let cursor):
            let channel = cursor.channels[id]
            return (channel, channel.flatMap { cursor.schemas[$0.schemaID] })
        case .recovering(let reader):
            let channel = reader.channels[id]
            return (channel, channel.flatMap { reader.schemas[$0.schemaID] })
        }
    }

    /// Advances to the next selected message. Unreadable parts are skipped and added to ``problems``.
    mutating func advance() {
        while true {
            do throws(MCAPError) {
                next = try read()
                return
            } catch {
                problems.append("\(path): \(error)")
                if error.code == .system { return next = nil }
            }
        }
    }

    /// Ends the input if all its further messages are later than the last one, that is, if the file has an index.
    mutating func skipLater() {
        if case .indexed = reading { next = nil }
    }

    private mutating func read() throws(MCAPError) -> Message? {
        switch reading {
        case .indexed(let index, var cursor):
            defer { reading = .indexed(index, cursor) }
            return try cursor.next()
        case .recovering(var reader):
            defer { reading = .recovering(reader) }
            while let record = try reader.next() {
                switch record {
                case .message(let message):
                    if let channel = reader.channels[message.channelID], isWanted(channel) { return message }
                case .attachment, .metadata: rest.append(record)
                default: break
                }
            }
            for loss in reader.losses { problems.append("\(path): \(loss.reason)") }
            let more = reader.lossCount - reader.losses.count
            if more > 0 { problems.append("\(path): \(more) more parts of the file cannot be read") }
            return nil
        }
    }

    /// Copies the attachments and metadata that were not copied yet: all of them if the file has an index, otherwise those before
    /// the next message.
    mutating func copyRest(to writer: Writer) throws(MCAPError) {
        if case .indexed(let index, _) = reading, !isIndexCopied {
            isIndexCopied = true
            for attachment in index.attachmentIndexes { try writer.add(index.attachment(attachment)) }
            for metadata in index.metadataIndexes { try writer.add(index.metadata(metadata)) }
        }
        guard !rest.isEmpty else { return }
        for record in rest {
            switch record {
            case .attachment(let attachment): try writer.add(attachment)
            case .metadata(let metadata): try writer.add(metadata)
            default: break
            }
        }
        rest = []
    }
}
