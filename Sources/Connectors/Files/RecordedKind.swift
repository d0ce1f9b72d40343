import Pipeline
import Stages

extension PayloadKind {
    /// What recorded data holds, by its first line that says so; where nothing does, by its shape: strokes in gesture
    /// files and tables, hands in files of MediaPipe and OpenPose and in tables whose rows are as long.
    ///
    /// - Throws: An environment error when there is no file or it cannot be read.
    package static func recorded(in path: String) throws -> PayloadKind { try said(in: path) ?? .stroke }

    /// The same; `nil` where nothing says it.
    package static func said(in path: String) throws -> PayloadKind? {
        guard let first = try FileListing.files(path, extensions: FileFormat.extensions(.auto)).first?.path else {
            return nil
        }
        if FileFormat.named(first) == .mcap { return try RecordingKinds.read(first).first }
        let lines = try LineReader(opening: first)
        do {
            let format = try FileFormat.format(.auto, path: first, lines)
            if format.isLandmarks { return .hands }
            if format == .csv { return try holdsHands(lines) ? .hands : nil }
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
                return message.value(.kind, message.kind).flatMap { PayloadKind(rawValue: $0) }
            }
            return nil
        } catch let error as SystemError {
            throw error.reading(first)
        }
    }

    /// Whether a row of a table has as many numbers as a hand.
    private static func holdsHands(_ lines: LineReader) throws -> Bool {
        var rows = TableRows(lines, delimiter: DecodeOptions().delimiterByte)
        let count = Topology.hand21.points.count
        return try rows.next() && [2 * count, 2 * count + 1, 3 * count, 3 * count + 1].contains(rows.count)
    }
}
