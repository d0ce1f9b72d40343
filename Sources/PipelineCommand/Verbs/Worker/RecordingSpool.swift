import Pipeline

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The folder in which a worker stores a recording whose bytes it receives. The folder contains one file at a time.
final class RecordingSpool {
    private let parent: String
    private var folder: String?

    /// Creates a spool. It creates its own folder in `parent` for the first recording, and removes that folder when it is
    /// deallocated.
    init(in parent: String) { self.parent = parent }

    deinit { if let folder { rmdir(folder) } }

    /// Stores the bytes of a recording in a file. The file has the recording's name, which determines the format and the origins
    /// of frames.
    ///
    /// - Returns: The path of the file. The caller removes the file with ``remove(_:)``.
    /// - Throws: An environment error if the file cannot be written; all bytes have then been read from the input.
    ///   ``JobInput/Cut`` if the input has fewer bytes.
    func store(_ count: Int, from input: inout JobInput, as name: String) throws -> String {
        // Bytes that cannot be stored are read too, because the next job follows them.
        let (path, descriptor): (String, Int32)
        do { (path, descriptor) = try create(name) } catch {
            try input.bytes(count) { _ in }
            throw error
        }
        defer { close(descriptor) }
        do {
            var failure: PipelineError?
            try input.bytes(count) { part in
                if failure == nil, DescriptorOutput.write(part, to: descriptor) != nil {
                    failure = OutputFile.unwritable(path, errno)
                }
            }
            if let failure { throw failure }
        } catch {
            unlink(path)
            throw error
        }
        return path
    }

    private func create(_ name: String) throws -> (path: String, descriptor: Int32) {
        let path = "\(try ownFolder())/\(name)"
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw OutputFile.unwritable(path, errno) }
        return (path, descriptor)
    }

    /// Removes a stored recording.
    func remove(_ path: String) { unlink(path) }

    /// Returns an error in which recordings have no path but only the name that the sender gave them.
    func named(_ error: PipelineError) -> PipelineError {
        guard let folder else { return error }
        var error = error
        error.message = error.message.replacing("\(folder)/", with: "")
        error.location = error.location?.replacing("\(folder)/", with: "")
        return error
    }

    private func ownFolder() throws -> String {
        if let folder { return folder }
        var template = Array("\(parent)/pipectl-worker-XXXXXX".utf8CString)
        guard let made = mkdtemp(&template) else {
            throw PipelineError.environment(
                "file.unwritable", "no folder can be made in \(parent) for the recordings in jobs",
                help: "set TMPDIR to a folder that can be written to")
        }
        let folder = String(cString: made)
        self.folder = folder
        return folder
    }
}
