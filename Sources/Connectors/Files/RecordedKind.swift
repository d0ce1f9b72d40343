import Pipeline
import Stages

extension PayloadKind {
    /// Returns the kind of recorded frames: the first known kind that a message or the MCAP channels declare, or the kind that the
    /// first row of a table indicates. Files of MediaPipe and OpenPose contain hands. Everything else, such as gesture files, is
    /// assumed to contain strokes. Of several files, only the first one is read.
    ///
    /// - Parameter kinds: The kinds that the data may have.
    /// - Throws: An environment error if there is no file or the first file cannot be read. A configuration error if the
    ///   first file is a pipe.
    package static func recorded(in path: String, among kinds: [PayloadKind] = standard) throws -> PayloadKind {
        try declared(in: path, among: kinds) ?? .stroke
    }

    /// Returns the kind of recorded frames, or `nil` if the data does not determine the kind.
    ///
    /// - Throws: An environment error if there is no file or the first file cannot be read. A configuration error if the
    ///   first file is a pipe.
    package static func declared(in path: String, among kinds: [PayloadKind] = standard) throws -> PayloadKind? {
        guard let first = try FileListing.files(path, extensions: FileFormat.extensions(.auto)).first?.path else {
            return nil
        }
        try MCAPFile.refusePipe(first)
        if MCAPFile.isRead(at: first) { return try RecordingKinds.read(first, among: kinds).first }
        let lines = try LineReader(opening: first)
        do {
            let format = try FileFormat.format(.auto, path: first, lines)
            if format.isLandmarks { return .hands }
            try FileFormat.refuseOther(format, first, lines)
            return switch format {
            case .csv: try inTable(lines, kinds)
            case .jsonl: try inMessages(JSONReader(), kinds) { try lines.next() }
            case .msgpack: try inMessages(MessagePackReader(), kinds) { try lines.nextDocument() }
            default: nil
            }
        } catch let error as SystemError {
            // The source that reads the frames reports damaged data.
            if error.isDamage { return nil }
            throw error.reading(first)
        } catch let error as PipelineError where error.category == .frame {
            throw error.located(in: first)
        }
    }

    /// Returns the first known kind that one of the first messages declares. Returns `nil` if there is none, or if a message before
    /// it declares no kind.
    private static func inMessages<Reader: DocumentReader>(
        _ reader: Reader, _ kinds: [PayloadKind], next: () throws -> LineReader.Line?
    ) throws -> PayloadKind? {
        var message = WireMessage()
        // Skips unreadable messages. The source that reads the frames reports them later.
        for _ in 0..<1000 {
            guard let line = try next() else { return nil }
            guard case .bytes(let bytes) = line, !bytes.isEmpty, (try? reader.begin(bytes)) != nil,
                (try? message.read(reader, keys: WireKeys(.kind), keepsUnknown: false)) != nil,
                (try? reader.end()) != nil
            else { continue }
            guard let name = message.value(.kind, message.kind) else { return nil }
            if let kind = kinds[name] { return kind }
        }
        return nil
    }

    /// Returns the kind of frames in a table, as its first row indicates. If the columns are those of the landmarks of a hand, by
    /// their names or their number, the kind is hands. Otherwise, it is the first kind with declared fields whose required fields
    /// are all columns, or `nil` if there is none.
    private static func inTable(_ lines: LineReader, _ kinds: [PayloadKind]) throws -> PayloadKind? {
        var rows = TableRows(lines, delimiter: DecodeOptions().delimiterByte)
        guard try rows.next() else { return nil }
        let names = (0..<rows.count).map { String(decoding: rows.cell($0), as: UTF8.self) }
        // In a first row without names, no cell looks like the name of a column.
        if (try? SetLayout(width: names.count, header: names, ColumnMap(), topology: .hand21)) != nil { return .hands }
        let header = Set(names)
        if WrittenRows.isHeader(names), header.contains("sample_us") {
            return header.contains("phase") ? .points : .stroke
        }
        return kinds.first { kind in
            kind.type is any MessagePayload.Type
                && kind.type.messageFields.allSatisfy { $0.isOptional || header.contains($0.name) }
        }
    }
}
