import Pipeline

extension PayloadKind {
    /// What recorded data holds, by its first line that says so; strokes, where nothing does: gesture files and tables.
    ///
    /// - Throws: An environment error when there is no file or it cannot be read.
    package static func recorded(in path: String) throws -> PayloadKind {
        guard let first = try FileListing.files(path, extensions: ["jsonl", "ndjson", "json", "csv", "xml"]).first
        else {
            return .stroke
        }
        let lines = LineReader(descriptor: try SystemCalls.openToRead(first))
        do {
            guard try FileFormat.format(.auto, path: first, lines) == .jsonl else { return .stroke }
            let reader = try JSONReader()
            var message = WireMessage()
            while let line = try lines.next() {
                guard case .bytes(let bytes) = line, !bytes.isEmpty else { continue }
                // A line that cannot be read is an error of its own, later.
                guard (try? reader.begin(bytes)) != nil,
                    (try? message.read(reader, keys: WireKeys(.kind), keepsUnknown: false)) != nil,
                    message.present.contains(.kind)
                else { return .stroke }
                return PayloadKind(rawValue: message.kind) ?? .stroke
            }
            return .stroke
        } catch let error as SystemError {
            throw error.reading(first)
        }
    }
}
