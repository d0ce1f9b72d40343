import Pipeline

/// The files that a source reads for a path: their formats and their size.
package struct FoundFiles: Sendable {
    /// The formats that a source chooses, each once, in the order of the files.
    package private(set) var formats: [FileSource.Format] = []
    /// The compressions that the names say, each once.
    package private(set) var compressions: [FileCompression] = []
    /// The total size in bytes.
    package private(set) var bytes: Int64 = 0

    /// Finds the files of a path to a file or folder, or of a pattern. Reads at most the beginning of each, and nothing of a pipe.
    ///
    /// - Throws: An environment error if there are no files, or if one cannot be read.
    package init(_ path: String) throws {
        for file in try FileListing.files(path, extensions: FileFormat.extensions(.auto)).map(\.path) {
            let format = try Self.format(of: file)
            if !formats.contains(format) { formats.append(format) }
            if let packing = FileCompression(path: file), !compressions.contains(packing) {
                compressions.append(packing)
            }
            if case .success(let status) = SystemCalls.status(file) { bytes += status.size }
        }
    }

    private static func format(of file: String) throws -> FileSource.Format {
        if MCAPFile.isRead(at: file) { return .mcap }
        if let known = FileFormat.named(file) { return known }
        return SystemCalls.isReadOnce(file)
            ? .jsonl : try FileFormat.format(.auto, path: file, LineReader(opening: file))
    }
}
