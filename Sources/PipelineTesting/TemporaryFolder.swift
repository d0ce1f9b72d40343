import Pipeline

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A folder of its own for a test, which goes, with all that is in it, when nobody holds it any more.
///
/// A suite that keeps it in a property has it as long as its test runs. Its path is short enough for sockets of `ipc`.
public final class TemporaryFolder: Sendable {
    /// Where it is.
    public let path: String

    /// Makes a folder in the system's place for temporary ones.
    ///
    /// - Throws: An environment error (`test.folder`) when it cannot be made.
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

    /// Writes a file, and the folders on the way to it, and gives its path.
    ///
    /// - Throws: An environment error (`test.folder`) when it cannot be written.
    @discardableResult
    public func write(_ name: String, _ text: String) throws -> String { try write(name, bytes: Array(text.utf8)) }

    /// Writes a file, and the folders on the way to it, and gives its path.
    ///
    /// - Throws: An environment error (`test.folder`) when it cannot be written.
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

    /// The text of a file.
    ///
    /// - Throws: An environment error (`test.folder`) when it cannot be read.
    public func read(_ name: String) throws -> String {
        guard let stream = fopen("\(path)/\(name)", "r") else { throw Self.error("\(path)/\(name) cannot be read") }
        defer { fclose(stream) }
        var bytes: [UInt8] = []
        var block = [UInt8](repeating: 0, count: 65_536)
        while case let count = fread(&block, 1, block.count, stream), count > 0 { bytes += block[..<count] }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Removes a file, or a folder with all that is in it. What a link leads to stays.
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
