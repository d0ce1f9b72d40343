import Connectors
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
    ///   - inputs: The files, folders and patterns that are read.
    /// - Throws: A usage error if `path` is one of the files.
    static func refuse(_ path: String, of flag: FlagDescription, over inputs: [String]) throws {
        try refuse(path, of: "--\(flag.name)", over: inputs)
    }

    /// Refuses to overwrite a file that a command reads.
    ///
    /// - Parameters:
    ///   - path: The file that would be written.
    ///   - name: The name of the argument or the flag that names it, as the command line shows it.
    ///   - inputs: The files, folders and patterns that are read.
    /// - Throws: A usage error if `path` is one of the files.
    static func refuse(_ path: String, of name: String, over inputs: [String]) throws {
        // In a folder, only a file with the extension of `path`, or of the file to which `path` is a link, can be that file.
        var paths = [path]
        if let real = realpath(path, nil) {
            paths.append(String(cString: real))
            free(real)
        }
        let endings = paths.map { fileExtension($0) }
        let read = inputs.flatMap { input in
            (try? FileListing.files(input, extensions: endings))?.map(\.path) ?? [input]
        }
        guard let identity = FileIdentity(path), let input = read.first(where: { FileIdentity($0) == identity })
        else { return }
        throw UsageError("\(name) would write over \(input), which is read", help: "give it another file")
    }

    /// Refuses to write a file that the command also writes for another reason.
    ///
    /// - Parameters:
    ///   - path: The file that would be written.
    ///   - flag: The flag that names it.
    ///   - outputs: The other files that are written.
    /// - Throws: A usage error if `path` is one of the outputs.
    static func refuse(_ path: String, of flag: FlagDescription, besides outputs: [String]) throws {
        guard let identity = FileIdentity(path), outputs.contains(where: { FileIdentity($0) == identity }) else {
            return
        }
        throw UsageError(
            "--\(flag.name) and another flag would both write \(path)", help: "give each of them its own file")
    }

    /// Refuses to overwrite a file that a configuration names.
    ///
    /// - Parameters:
    ///   - path: The file that would be written.
    ///   - flag: The flag that names it.
    ///   - files: The files that the configuration names, and the configuration itself.
    /// - Throws: A usage error if `path` is one of the files.
    static func refuse(_ path: String, of flag: FlagDescription, over files: [FileUse]) throws {
        guard let use = files.using(path) else { return }
        throw UsageError("--\(flag.name) would write over \(path), \(use.clause)", help: "give it another file")
    }

    /// Refuses a path at which no file can be created, because it is a folder or its folder does not exist.
    ///
    /// - Throws: An environment error.
    static func checkPlace(_ path: String) throws {
        if isFolder(path) { throw unwritable(path, EISDIR) }
        let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
        if !isFolder(folder) { throw unwritable(path, ENOENT) }
    }

    /// Returns the error to report for a file that could not be written.
    ///
    /// - Parameter code: The value of `errno`.
    static func unwritable(_ path: String, _ code: Int32) -> PipelineError {
        SystemError(number: code).writing(path)
    }

    /// Whether a folder exists at a path.
    static func isFolder(_ path: String) -> Bool {
        var info = stat()
        return stat(path, &info) == 0 && info.st_mode & S_IFMT == S_IFDIR
    }
}
