import Pipeline
import Stages

extension PayloadKind {
    /// Returns the kind of recorded frames: that of the first line that declares one. If none does, the kind follows from the shape
    /// of the data. Gesture files and tables hold strokes. Files of MediaPipe and OpenPose hold hands, and so do tables with rows
    /// of that length.
    ///
    /// - Parameter kinds: The kinds that the data may have.
    /// - Throws: An environment error if there is no file or it cannot be read.
    package static func recorded(in path: String, among kinds: [PayloadKind] = standard) throws -> PayloadKind {
        try said(in: path, among: kinds) ?? .stroke
    }

    /// Returns the kind of recorded frames, or `nil` if the data does not determine it.
    package static func said(in path: String, among kinds: [PayloadKind] = standard) throws -> PayloadKind? {
        guard let first = try FileListing.files(path, extensions: FileFormat.extensions(.auto)).first?.path else {
            return nil
        }
        if MCAPFile.isRead(at: first) { return try RecordingKinds.read(first, among: kinds).first }
        let lines = try LineReader(opening: first)
        do {
            let format = try FileFormat.format(.auto, path: first, lines)
            if format.isLandmarks { return .hands }
            if format == .csv { return try inTable(lines, kinds) }
            guard format == .jsonl else { return nil }
            let reader = try JSONReader()
            var message = WireMessage()
            // Skip an unreadable line: the source that reads the frames reports it later.
            while lines.lineNumber < 1000, let line = try lines.next() {
                guard case .bytes(let bytes) = line, !bytes.isEmpty else { continue }
                guard (try? reader.begin(bytes)) != nil,
                    (try? message.read(reader, keys: WireKeys(.kind), keepsUnknown: false)) != nil,
                    (try? reader.end()) != nil
                else { continue }
                return message.value(.kind, message.kind).flatMap { kinds[$0] }
            }
            return nil
        } catch let error as SystemError {
            throw error.reading(first)
        }
    }

    /// Returns the kind of frames in a table: hands, if rows have the matching number of cells, or a payload with declared fields,
    /// if all of its required fields are columns.
    private static func inTable(_ lines: LineReader, _ kinds: [PayloadKind]) throws -> PayloadKind? {
        var rows = TableRows(lines, delimiter: DecodeOptions().delimiterByte)
        let count = Topology.hand21.points.count
        guard try rows.next() else { return nil }
        if [2 * count, 2 * count + 1, 3 * count, 3 * count + 1].contains(rows.count) { return .hands }
        let header = Set((0..<rows.count).map { String(decoding: rows.cell($0), as: UTF8.self) })
        return kinds.first { kind in
            kind.type is any MessagePayload.Type
                && kind.type.messageFields.allSatisfy { $0.isOptional || header.contains($0.name) }
        }
    }
}
