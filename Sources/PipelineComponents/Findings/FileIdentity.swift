#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The identity of the file that a path leads to, independent of symbolic links, hard links and the folders in the path.
public struct FileIdentity: Hashable, Sendable {
    private enum Value: Hashable, Sendable {
        case existing(device: UInt64, number: UInt64)
        /// A file that does not exist yet, by its absolute path.
        case missing(String)
    }

    private let value: Value

    /// Finds the file that a path leads to. Returns `nil` if the path leads to something that cannot be overwritten like a file,
    /// for example a folder or a device.
    public init?(_ path: String) {
        var info = stat()
        guard stat(path, &info) == 0 else {
            value = .missing(Self.target(of: path))
            return
        }
        guard info.st_mode & S_IFMT == S_IFREG || info.st_mode & S_IFMT == S_IFIFO else { return nil }
        value = .existing(
            device: UInt64(truncatingIfNeeded: info.st_dev), number: UInt64(truncatingIfNeeded: info.st_ino))
    }

    /// Returns the absolute path of the file that would be created at a path. The folders in it need not exist.
    static func target(of path: String) -> String {
        var path = path
        // If the path is a link to a missing file, the file would be created at the destination of the link.
        for _ in 0..<40 {
            guard let link = destination(of: path) else { break }
            path = link.hasPrefix("/") ? link : split(path).folder + "/" + link
        }
        // Links are followed in the part of the path that exists.
        var (folder, rest) = split(path)
        while true {
            if let real = realpath(folder, nil) {
                defer { free(real) }
                return normalized(String(cString: real) + "/" + rest)
            }
            guard folder != "/", folder != "." else { return normalized(path) }
            let (parent, name) = split(folder)
            (folder, rest) = (parent, name + "/" + rest)
        }
    }

    private static func destination(of path: String) -> String? {
        var bytes = [UInt8](repeating: 0, count: Int(PATH_MAX))
        let count = bytes.withUnsafeMutableBytes { bytes in
            bytes.baseAddress.map { readlink(path, $0, bytes.count) } ?? -1
        }
        return count > 0 ? String(decoding: bytes[..<count], as: UTF8.self) : nil
    }

    private static func split(_ path: String) -> (folder: String, name: String) {
        guard let slash = path.lastIndex(of: "/") else { return (".", path) }
        return (slash == path.startIndex ? "/" : String(path[..<slash]), String(path[path.index(after: slash)...]))
    }

    private static func normalized(_ path: String) -> String {
        var whole = path
        if !path.hasPrefix("/"), let folder = getcwd(nil, 0) {
            whole = String(cString: folder) + "/" + path
            free(folder)
        }
        var parts: [Substring] = []
        for part in whole.split(separator: "/") where part != "." {
            if part == ".." { _ = parts.popLast() } else { parts.append(part) }
        }
        return "/" + parts.joined(separator: "/")
    }
}
