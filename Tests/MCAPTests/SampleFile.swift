import MCAP

/// Files that tests write, and their content.
enum SampleFile {
    /// All compressions of chunks.
    static let compressions: [Compression] = [.none, .lz4, .zstd]

    /// Returns messages that look like landmarks: digits with some repetitions, on two channels, with log times that sometimes go
    /// back.
    static func messages(_ count: Int, seed: UInt64 = 7) -> [Message] {
        var state = seed
        return (0..<count).map { number in
            var text = "{\"v\":1,\"seq\":\(number),\"pts\":["
            for _ in 0..<6 {
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                text += "0.\(state >> 40),"
            }
            text += "0]}"
            let time = UInt64(number) * 1_000_000 + (number % 5 == 0 ? 0 : 2_500_000)
            return Message(
                channelID: number % 3 == 0 ? 2 : 1, sequence: UInt32(number), logTime: time,
                publishTime: UInt64(number) * 999_000, data: ArraySlice(text.utf8))
        }
    }

    static let schema = Schema(id: 1, name: "frame", encoding: "jsonschema", data: Array("{\"type\":\"object\"}".utf8))

    static let channels = [
        Channel(id: 1, schemaID: 1, topic: "hand/left", messageEncoding: "json", metadata: [StringPair("a", "b")]),
        Channel(id: 2, schemaID: 0, topic: "pen", messageEncoding: "json"),
    ]

    static let attachment = Attachment(
        logTime: 5, createTime: 4, name: "notes.txt", mediaType: "text/plain", data: Array("written by hand".utf8))

    static let metadata = Metadata(
        name: "recording", values: [StringPair("version", "1.0"), StringPair("place", "Ulm")])

    /// Returns a file of messages, with an attachment and metadata in the middle.
    static func bytes(
        _ messages: [Message], _ compression: Compression, chunkSize: Int? = 16 << 10,
        _ change: (inout WriterOptions) -> Void = { _ in }
    ) throws -> [UInt8] {
        var options = WriterOptions()
        options.library = "test"
        options.compression = compression
        options.chunkSize = chunkSize
        change(&options)
        let output = MemoryOutput()
        let writer = try Writer(output, options)
        try writer.add(schema)
        for channel in channels { try writer.add(channel) }
        for (number, message) in messages.enumerated() {
            try writer.write(message)
            if number == messages.count / 2 {
                try writer.add(attachment)
                try writer.add(metadata)
            }
        }
        try writer.finish()
        return output.bytes
    }

    /// Returns the records read from the beginning to the end, or until an error.
    static func read(_ bytes: [UInt8]) -> (records: [Record], error: MCAPError?) {
        var reader = StreamingReader(MemoryInput(bytes))
        var records: [Record] = []
        do {
            while let record = try reader.next() { records.append(record) }
            return (records, nil)
        } catch {
            return (records, error)
        }
    }

    /// Returns the records and losses found by recovering the file.
    static func recover(_ bytes: [UInt8]) throws -> (records: [Record], losses: [RecoveringReader.Loss]) {
        var reader = RecoveringReader(MemoryInput(bytes))
        var records: [Record] = []
        while let record = try reader.next() { records.append(record) }
        return (records, reader.losses)
    }
}

extension [Record] {
    /// The messages among the records.
    var messages: [Message] {
        compactMap { if case .message(let message) = $0 { message } else { nil } }
    }
}
