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

/// Checks the files, disks and addresses that a configuration uses, without running it.
enum Surroundings {
    /// Returns the findings about the files and addresses that a configuration names.
    static func findings(of loaded: LoadedPipeline) -> [Finding] {
        if !loaded.isEnvironmentProblem, let error = loaded.diagnostics.first(where: { $0.severity == .error }) {
            // The paths in such a configuration may be wrong too, for example if a variable is not defined.
            let path = loaded.files.first { $0.purpose == .configuration }?.paths().first
            return path.map {
                [
                    Finding(
                        subject: $0, state: .error, text: "the configuration has an error: \(error.message)",
                        code: error.code, remedy: error.help)
                ]
            } ?? []
        }
        var all = loaded.files.flatMap(findings) + disks(of: loaded.files) + loaded.addresses.map(finding)
        if let address = loaded.serve?.address, address.port > 0 { all.append(served(address)) }
        // If a component uses a file in several ways, the same finding occurs several times. It is reported once.
        var known: Set<String> = []
        return all.filter { known.insert($0.subject + "\n" + $0.text).inserted }
    }

    private static func findings(of use: FileUse) -> [Finding] {
        switch use.purpose {
        case .configuration: use.paths().map { readable($0, "the configuration") }
        case .input: use.paths().map { readable($0, "\"\(use.owner)\" reads it") }
        case .output: use.paths().first.map { [writable(use, $0)] } ?? []
        }
    }

    private static func readable(_ path: String, _ words: String) -> Finding {
        guard access(path, R_OK) != 0 else { return .good(path, words) }
        let number = errno
        if let closed = closedFolder(on: path) { return unreachable(path, words, closed) }
        guard number != ENOENT else {
            return .error(
                path, "doctor.file", "\(words), and it is not there",
                "put it there, or correct its path; paths in a pipeline are relative to its file")
        }
        return .error(
            path, "doctor.file", "\(words), and \(user) cannot read it: \(reason(number))",
            "let that user read it: chmod, chown")
    }

    private static func writable(_ use: FileUse, _ path: String) -> Finding {
        let words = "\"\(use.owner)\" writes it"
        let folder = folder(of: path)
        let isThere = OutputFile.exists(path)
        if isThere, use.keepsExisting {
            return .error(
                path, "doctor.file", "\(words), and it is already there",
                "move it away, or write if_exists: overwrite or append")
        }
        guard access(isThere ? path : folder, isThere ? W_OK : W_OK | X_OK) != 0 else { return .good(path, words) }
        let number = errno
        if let closed = closedFolder(on: path) { return unreachable(path, words, closed) }
        guard number != ENOENT else {
            return .error(
                path, "doctor.file", "\(words), and the folder \(folder) is not there",
                "make the folder: mkdir -p \(ShellWord.quoted(folder))")
        }
        let place = isThere ? "it" : "to \(folder)"
        return .error(
            path, "doctor.file", "\(words), and \(user) cannot write \(place): \(reason(number))",
            "let that user write there: chmod, chown")
    }

    /// Returns the first folder on a path that this user may not enter; `nil` if there is no such folder.
    private static func closedFolder(on path: String) -> String? {
        var end = path.startIndex
        while let slash = path[end...].firstIndex(of: "/") {
            let folder = slash == path.startIndex ? "/" : String(path[..<slash])
            if access(folder, X_OK) != 0, errno == EACCES { return folder }
            end = path.index(after: slash)
        }
        return nil
    }

    private static func unreachable(_ path: String, _ words: String, _ folder: String) -> Finding {
        .error(
            path, "doctor.file", "\(words), and \(user) cannot enter the folder \(folder)",
            "let that user enter it: chmod a+x \(ShellWord.quoted(folder))")
    }

    /// Returns findings about the free space on the disks that outputs go to, each disk once.
    private static func disks(of files: [FileUse]) -> [Finding] {
        var known: Set<UInt64> = []
        return files.filter { $0.purpose == .output }.compactMap { $0.paths().first.map(folder) }.compactMap { folder in
            var info = stat()
            guard !folder.hasPrefix("/dev"), stat(folder, &info) == 0, known.insert(UInt64(info.st_dev)).inserted else {
                return nil
            }
            var disk = statvfs()
            guard statvfs(folder, &disk) == 0, disk.f_blocks > 0 else { return nil }
            return room(in: folder, free: UInt64(disk.f_bavail).multipliedSaturated(by: UInt64(disk.f_frsize)))
        }
    }

    /// Checks the free bytes of a disk.
    static func room(in folder: String, free: UInt64) -> Finding {
        let megabytes = free / 1_000_000
        let words = "\(ProgressBar.grouped(Int64(clamping: megabytes))) MB are free on its disk"
        return megabytes >= 1000
            ? .good(folder, words)
            : .warning(
                folder, "doctor.disk", words,
                "make room: a recording of one hand at 30 Hz takes 20 to 40 MB an hour, and ends when the disk is full")
    }

    private static func finding(of use: AddressUse) -> Finding {
        guard use.option == "bind" else {
            return connected(use)
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

    /// Checks whether the name in an address to connect to can be resolved. It does not check whether there is a peer, because a
    /// run can start without one.
    private static func connected(_ use: AddressUse) -> Finding {
        guard let host = try? ZMQEndpoint(use.address).hostName, !isKnown(host) else {
            return .good(use.address, "\"\(use.owner)\" connects to it; pipectl listen shows whether a peer answers")
        }
        return .warning(
            use.address, "doctor.name", "\"\(use.owner)\" connects to it, and the name \(host) cannot be resolved now",
            "correct the name, or use a numeric address; a run looks the name up again until it is resolved")
    }

    /// Whether a host name has an address.
    private static func isKnown(_ name: String) -> Bool {
        var answer: UnsafeMutablePointer<addrinfo>?
        defer { if let answer { freeaddrinfo(answer) } }
        return getaddrinfo(name, nil, nil, &answer) == 0
    }

    /// Checks the address at which a run is served.
    private static func served(_ address: ServeAddress) -> Finding {
        do {
            try ZMQEndpoint("tcp://\(address)").probe()
            return .good("\(address)", "serve: binds it; it is free")
        } catch {
            let error = PipelineError(wrapping: error)
            return .error("\(address)", error.code, "serve: \(error.message)", error.help ?? "choose another address")
        }
    }

    private static func folder(of path: String) -> String {
        // The path may contain placeholders such as `{stream}`, but only in the file name.
        let fixed = path.prefix { $0 != "{" }
        guard let slash = fixed.lastIndex(of: "/") else { return "." }
        return slash == fixed.startIndex ? "/" : String(fixed[..<slash])
    }

    private static func reason(_ number: Int32) -> String { String(cString: strerror(number)) }

    private static var user: String {
        "the user " + (getpwuid(geteuid()).map { String(cString: $0.pointee.pw_name) } ?? "\(geteuid())")
    }
}
