import Pipeline
import PipelineComponents

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Checks of the files that commands write.
enum OutputFile {
    /// Refuses to write a picture to a file whose extension belongs to another format.
    ///
    /// - Parameters:
    ///   - path: The file that would be written, if any.
    ///   - format: The format of the picture: `svg`, `png`.
    ///   - help: How to get a file of the other format.
    static func checkEnding(of path: String?, _ format: String, _ help: String) throws(UsageError) {
        guard let path, let point = path.lastIndex(of: "."), !path[point...].contains("/") else { return }
        let ending = path[path.index(after: point)...].lowercased()
        guard ending != format, ["svg", "png", "jpg", "jpeg", "gif", "pdf"].contains(ending) else { return }
        throw UsageError("\(path) ends in .\(ending), but the picture is written as \(format.uppercased())", help: help)
    }

    /// Whether a file or folder exists at a path.
    static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

    /// Returns the number of bytes at a path; `nil` if nothing exists there.
    static func size(_ path: String) -> Int64? {
        var info = stat()
        return stat(path, &info) == 0 ? Int64(info.st_size) : nil
    }

    /// Refuses to overwrite a file that a command reads.
    ///
    /// - Parameters:
    ///   - path: The file that would be written.
    ///   - flag: The flag that names it.
    ///   - inputs: The files that are read.
    /// - Throws: A usage error if `path` is one of the inputs.
    static func refuse(_ path: String, of flag: FlagDescription, over inputs: [String]) throws {
        guard let identity = FileIdentity(path), let input = inputs.first(where: { FileIdentity($0) == identity })
        else { return }
        throw UsageError("--\(flag.name) would write over \(input), which is read", help: "give it another file")
    }

    /// Whether a folder exists at a path.
    static func isFolder(_ path: String) -> Bool {
        var info = stat()
        return stat(path, &info) == 0 && info.st_mode & S_IFMT == S_IFDIR
    }
}
