import Connectors
import Pipeline
import PipelineComponents
import PipelineConfiguration
import Stages

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// What a configuration needs of its surroundings, looked at without running it.
enum Surroundings {
    /// The files and addresses that a configuration names.
    static func findings(of loaded: LoadedPipeline) -> [Finding] {
        loaded.files.flatMap(findings) + disks(of: loaded.files) + loaded.addresses.map(finding)
    }

    private static func findings(of use: FileUse) -> [Finding] {
        switch use.purpose {
        case .configuration: use.paths().map { readable($0, "the configuration") }
        case .input: use.paths().map { readable($0, "\"\(use.owner)\" reads it") }
        case .output: (use.paths().first.map { [writable($0, "\"\(use.owner)\" writes it")] }) ?? []
        }
    }

    private static func readable(_ path: String, _ words: String) -> Finding {
        guard access(path, R_OK) != 0 else { return .good(path, words) }
        return .error(
            path, "doctor.file", "\(words), and it cannot be read: \(reason)",
            "let this user (\(user)) read it: chmod, chown")
    }

    private static func writable(_ path: String, _ words: String) -> Finding {
        let folder = folder(of: path)
        let isThere = OutputFile.exists(path)
        guard access(isThere ? path : folder, isThere ? W_OK : W_OK | X_OK) != 0 else { return .good(path, words) }
        let what = isThere ? "it" : "the folder \(folder)"
        return .error(
            path, "doctor.file", "\(words), and \(what) cannot be written: \(reason)",
            errno == ENOENT ? "make the folder: mkdir -p \(folder)" : "let this user (\(user)) write it: chmod, chown")
    }

    /// The room on the disks that outputs go to, each once.
    private static func disks(of files: [FileUse]) -> [Finding] {
        var known: Set<UInt64> = []
        return files.filter { $0.purpose == .output }.compactMap { $0.paths().first.map(folder) }.compactMap { folder in
            var info = stat()
            guard stat(folder, &info) == 0, known.insert(UInt64(info.st_dev)).inserted else { return nil }
            var disk = statvfs()
            guard statvfs(folder, &disk) == 0, disk.f_blocks > 0 else { return nil }
            return room(in: folder, free: UInt64(disk.f_bavail).multipliedSaturated(by: UInt64(disk.f_frsize)))
        }
    }

    /// Judges the free bytes of a disk.
    static func room(in folder: String, free: UInt64) -> Finding {
        let megabytes = free / 1_000_000
        let words = "\(ProgressBar.grouped(Int64(clamping: megabytes))) MB are free on its disk"
        return megabytes >= 1000
            ? .good(folder, words)
            : .warning(
                folder, "doctor.disk", words,
                "make room; a recording of one hand at 30 Hz takes 20 to 40 MB an hour, and a full disk ends it")
    }

    private static func finding(of use: AddressUse) -> Finding {
        guard use.option == "bind" else {
            return .good(use.address, "\"\(use.owner)\" goes there; pipectl listen says whether somebody answers")
        }
        do {
            try ZMQEndpoint(use.address).probe()
            return .good(use.address, "\"\(use.owner)\" binds it; it is free")
        } catch {
            let error = PipelineError(wrapping: error)
            return .error(
                use.address, error.code, "\"\(use.owner)\" binds it: \(error.message)",
                error.help ?? "end the other program, or choose another address; ss -tlnp shows who has it")
        }
    }

    private static func folder(of path: String) -> String {
        // Placeholders make files, not folders.
        let fixed = path.prefix { $0 != "{" }
        guard let slash = fixed.lastIndex(of: "/") else { return "." }
        return slash == fixed.startIndex ? "/" : String(fixed[..<slash])
    }

    private static var reason: String { String(cString: strerror(errno)) }

    private static var user: String {
        getpwuid(geteuid()).map { String(cString: $0.pointee.pw_name) } ?? "\(geteuid())"
    }
}
