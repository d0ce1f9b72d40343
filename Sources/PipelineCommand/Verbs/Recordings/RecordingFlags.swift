import Connectors
import Pipeline
import PipelineComponents

/// The flags and checks that the verbs for recordings share.
enum RecordingFlags {
    static let out = Flag.text("out", short: "o", placeholder: "FILE", "Writes to FILE")
    static let force = Flag.toggle("force", "Overwrites an existing file")
    static let streams = Flag.text(
        "streams", placeholder: "NAME,…", repeats: true, "Uses only these streams, by name or pattern (hand/*)")
    static let startOffset = time(
        "start-offset", "Skips this much time after the first frame, as in 10s or 500ms")
    static let duration = time("duration", "Uses only this much time after the start, as in 2.5s")
    static let kind = Flag.text(
        "kind", placeholder: "KIND", defaultText: "the kind that the recording declares",
        offers: { $0.registry.kinds.map(\.name) }, "The kind of frames")
    static let compression = Flag<FileSink.Packing>.choice(
        "compression", default: .auto, "The compression of the file; by default, its name decides, and MCAP uses zstd")

    static let scene = Flag.toggle(
        "scene", "Adds a scene to each stream, for Foxglove's 3D panel (MCAP only)")

    private static func time(_ name: String, _ summary: String) -> Flag<Int64> {
        .parsed(name, placeholder: "TIME", wanted: "a time, such as 10, 10s or 500ms", summary) {
            DurationText.nanosecondsOrSeconds($0[...])
        }
    }

    /// Returns the path of an input. `-` is standard input, unless a file has this name.
    static func input(_ word: String) -> String { word == "-" && !OutputFile.exists(word) ? "/dev/stdin" : word }

    /// Returns the selected streams; an empty array for all.
    static func streams(_ invocation: Invocation) -> [String] {
        invocation.all(streams).flatMap { $0.split(separator: ",").map(String.init) }
    }

    /// Throws an error if `path` is one of the inputs, or exists and `--force` was not given. A path with placeholders
    /// must not match any input; whether the files that it stands for exist is known only when they are opened.
    ///
    /// - Parameter name: The name of the argument or the flag that names the file.
    static func checkOutput(
        _ path: String, of name: String = "--out", inputs: [String], _ invocation: Invocation
    ) throws {
        try OutputFile.refuse(path, of: name, over: inputs)
        for file in OutputPattern(path)?.existing ?? [] { try OutputFile.refuse(file, of: name, over: inputs) }
        guard OutputFile.exists(path), !invocation[force] else { return }
        throw PipelineError.environment(
            "file.exists", "\(path) is already there", help: existingHelp)
    }

    /// What to do about a file that already exists.
    static let existingHelp = "choose another name, or overwrite the file with --force"

    /// Throws a usage error if the name of a file does not imply a format.
    static func checkEnding(_ path: String, _ help: String) throws {
        guard !FileSink.Options.impliesFormat(path) else { return }
        let ending = path.split(separator: "/").last?.split(separator: ".").dropFirst().last
        throw UsageError(
            ending.map { "the ending .\($0) names no format" }
                ?? "the name of \(path) has no ending that names the format",
            help: help)
    }

    /// Throws a usage error if a file cannot have the compression of the flag or of its name. Warns if the name does not say that
    /// the file is compressed.
    static func checkCompression(
        of path: String, isMCAP: Bool, _ invocation: Invocation, _ console: Console
    ) throws {
        let ending = FileCompression(path: path)
        if isMCAP, let ending {
            throw UsageError(
                "the name of \(path) ends like a file compressed with \(ending.rawValue), but MCAP is compressed in chunks",
                help: "end the name in .mcap")
        }
        guard let wanted = invocation[compression], wanted != .auto else { return }
        if isMCAP ? wanted == .gzip : wanted == .lz4 {
            throw UsageError(
                isMCAP ? "MCAP files are not compressed with gzip" : "only MCAP files are compressed with lz4",
                help: isMCAP ? "write --compression=zstd, lz4 or none" : "write --compression=zstd or gzip")
        }
        guard !isMCAP, ending?.rawValue != wanted.rawValue else { return }
        if let ending {
            throw UsageError(
                "the name of \(path) ends like a file compressed with \(ending.rawValue), not \(wanted.rawValue)",
                help: "leave --compression out, or change the name")
        }
        guard let extra = wanted.nameEnding else { return }
        console.warning(
            "the name of \(path) does not end in \(extra), so the file is not decompressed when it is read",
            code: "file.compression")
    }

    /// Throws a usage error if `--scene` was given for a file that cannot contain scenes.
    static func checkScene(isMCAP: Bool, _ invocation: Invocation) throws {
        if invocation[scene], !isMCAP {
            throw UsageError("only MCAP files can contain scenes", help: "end the name in .mcap, or leave --scene out")
        }
    }

    /// Returns the kind of frames that `--kind` names; `nil` if it was not given.
    ///
    /// - Throws: A usage error for a kind that is not registered.
    static func kind(_ invocation: Invocation) throws(UsageError) -> PayloadKind? {
        guard let name = invocation[kind] else { return nil }
        if let kind = invocation.kinds[name] { return kind }
        let names = invocation.kinds.map(\.name)
        throw UsageError(
            "--kind needs one of \(names.joined(separator: ", ")), found \"\(name)\"",
            help: nearestName(to: name, among: names).map { "did you mean \"\($0)\"?" } ?? "write --kind=KIND")
    }

    /// Returns the kind of frames in files: the one that `--kind` names, otherwise the one that the files declare, or `stroke` if
    /// they declare none.
    ///
    /// - Throws: A usage error if `--kind` is missing and the files contain several kinds. A configuration error if it is
    ///   missing and a path leads to a pipe.
    static func kind(of paths: [String], _ invocation: Invocation) throws -> PayloadKind {
        if let kind = try kind(invocation) { return kind }
        var kinds: [PayloadKind] = []
        do {
            for path in paths {
                let found =
                    MCAPFile.isRead(at: path)
                    ? try RecordingKinds.read(path, among: invocation.kinds)
                    : [try PayloadKind.recorded(in: path, among: invocation.kinds)]
                kinds += found.filter { !kinds.contains($0) }
            }
        } catch var error as PipelineError where error.code == "recording.pipe" {
            error.help = "name the kind of its frames with --kind, or write its data to a file first"
            throw error
        }
        guard kinds.count < 2 else {
            throw UsageError(
                "the recording contains \(kinds.map(\.name).joined(separator: " and "))",
                help: "select one of them: --kind=\(kinds[0].name)")
        }
        return kinds.first ?? .stroke
    }
}

extension Invocation {
    /// The kinds of frames that are registered in the program.
    var kinds: [PayloadKind] { tool.registry.kinds }
}
