import Pipeline

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A private folder for a test. It is removed, with its contents, when the last reference to it is released.
///
/// A folder in a property of a test suite exists for as long as the test runs. Its path is short enough for `ipc` sockets.
public final class TemporaryFolder: Sendable {
    /// The path of the folder.
    public let path: String

    /// Creates a folder in the system's temporary directory.
    ///
    /// - Throws: An environment error (`test.folder`) if it cannot be created.
    public init() throws {
        let place = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        var template = Array(
            "\(place.hasSuffix("/") ? String(place.dropLast()) : place)/pipeline-test-XXXXXX".utf8CString)
        let made = template.withUnsafeMutableBufferPointer {
            $0.baseAddress.flatMap { mkdtemp($0) }.map { String(cString: $0) }
        }
        guard let made else { throw Self.error("no folder could be made in \(place)") }
        path = made
    }

    deinit { Self.remove(path) }

    /// Writes a text file, creates missing folders on its path, and returns the path.
    ///
    /// - Throws: An environment error (`test.folder`) if the file cannot be written.
    @discardableResult
    public func write(_ name: String, _ text: String) throws -> String { try write(name, bytes: Array(text.utf8)) }

    /// Writes a file, creates missing folders on its path, and returns the path.
    ///
    /// - Throws: An environment error (`test.folder`) if the file cannot be written.
    @discardableResult
    public func write(_ name: String, bytes: [UInt8]) throws -> String {
        var folder = path
        for part in name.split(separator: "/").dropLast() {
            folder += "/\(part)"
            mkdir(folder, 0o755)
        }
        let file = "\(path)/\(name)"
        guard let stream = fopen(file, "w") else { throw Self.error("\(file) cannot be written") }
        let written = fwrite(bytes, 1, bytes.count, stream)
        guard fclose(stream) == 0, written == bytes.count else { throw Self.error("\(file) cannot be written") }
        return file
    }

    /// Returns the text of a file.
    ///
    /// - Throws: An environment error (`test.folder`) if the file cannot be read.
    public func read(_ name: String) throws -> String {
        guard let stream = fopen("\(path)/\(name)", "r") else { throw Self.error("\(path)/\(name) cannot be read") }
        defer { fclose(stream) }
        var bytes: [UInt8] = []
        var block = [UInt8](repeating: 0, count: 65_536)
        while case let count = fread(&block, 1, block.count, stream), count > 0 { bytes += block[..<count] }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Removes a file, or a folder with its contents. A link is removed, but not its destination.
    private static func remove(_ path: String) {
        guard unlink(path) != 0, let folder = opendir(path) else { return }
        var names: [String] = []
        while let entry = readdir(folder) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != ".", name != ".." { names.append(name) }
        }
        closedir(folder)
        for name in names { remove("\(path)/\(name)") }
        rmdir(path)
    }

    private static func error(_ message: String) -> PipelineError { .environment("test.folder", message) }
}
