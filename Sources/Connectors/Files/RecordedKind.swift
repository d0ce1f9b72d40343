import Pipeline
import Stages

extension PayloadKind {
    /// What recorded data holds, by its first line that says so; where nothing does, by its shape: strokes in gesture
    /// files and tables, hands in files of MediaPipe and OpenPose and in tables whose rows are as long.
    ///
    /// - Parameter kinds: What it may be.
    /// - Throws: An environment error when there is no file or it cannot be read.
    package static func recorded(in path: String, among kinds: [PayloadKind] = standard) throws -> PayloadKind {
        try said(in: path, among: kinds) ?? .stroke
    }

    /// The same; `nil` where nothing says it.
    package static func said(in path: String, among kinds: [PayloadKind] = standard) throws -> PayloadKind? {
        guard let first = try FileListing.files(path, extensions: FileFormat.extensions(.auto)).first?.path else {
            return nil
        }
        if FileFormat.named(first) == .mcap { return try RecordingKinds.read(first, among: kinds).first }
        let lines = try LineReader(opening: first)
        do {
            let format = try FileFormat.format(.auto, path: first, lines)
            if format.isLandmarks { return .hands }
            if format == .csv { return try inTable(lines, kinds) }
            guard format == .jsonl else { return nil }
            let reader = try JSONReader()
            var message = WireMessage()
            // A line that cannot be read is an error of its own, later.
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

    /// What a table holds: hands where a row has as many numbers, or a payload that declares its fields where all that it needs are
    /// columns.
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
