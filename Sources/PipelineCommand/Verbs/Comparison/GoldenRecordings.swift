#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The names that recordings have in stored results. They do not depend on how the command line spells a path.
///
/// A name is the name of the file. If several recordings have files of the same name, their names also contain as many of their
/// folders as it takes to tell them apart.
struct GoldenRecordings {
    /// What one run reads: a recording, or several together.
    private struct Input {
        /// The value of `recording` in the results of the run.
        let spelling: String
        /// The parts of each path.
        let paths: [[Substring]]
        let name: String
    }

    private let inputs: [Input]

    /// Creates the names of recordings.
    ///
    /// - Parameter files: The paths of the recordings, in the order of the command line.
    init(_ files: [String]) {
        let paths = files.map { Self.parts(of: Self.absolute($0)) }
        let names = paths.map { own in
            let others = paths.filter { $0 != own }
            let count = own.indices.map { $0 + 1 }.first { count in
                !others.contains { $0.suffix(count) == own.suffix(count) }
            }
            return own.suffix(count ?? own.count).joined(separator: "/")
        }
        var inputs = files.indices.map { Input(spelling: files[$0], paths: [paths[$0]], name: names[$0]) }
        if files.count > 1 {
            inputs.append(
                Input(
                    spelling: FoundResult.Moment.recording(files), paths: paths,
                    name: FoundResult.Moment.recording(names)))
        }
        self.inputs = inputs
    }

    /// Returns results with the names of the recordings in place of their paths.
    func named(_ results: [FoundResult]) -> [FoundResult] {
        let names = Dictionary(inputs.map { ($0.spelling, $0.name) }, uniquingKeysWith: { first, _ in first })
        return results.map { $0.renamed(names) }
    }

    /// Returns stored results with the names of the recordings. The results may have been stored with a path in place of a name, or
    /// together with those of other recordings. Each recording is then the stored one whose path ends in the same way for the most
    /// folders.
    func matched(_ stored: [FoundResult]) -> [FoundResult] {
        var spellings: [String] = []
        for result in stored where !spellings.contains(result.moment.recording) {
            spellings.append(result.moment.recording)
        }
        // A recording that is stored with its present name keeps this name.
        let isKept = Set(spellings).intersection(inputs.map(\.name))
        var pairs = inputs.filter { !isKept.contains($0.name) }.flatMap { input in
            spellings.filter { !isKept.contains($0) }.map { spelling in
                (input: input, spelling: spelling, score: Self.score(input, spelling))
            }
        }.filter { $0.score > 0 }
        var names: [String: String] = [:]
        while let best = pairs.max(by: { $0.score < $1.score }) {
            names[best.spelling] = best.input.name
            pairs.removeAll { $0.spelling == best.spelling || $0.input.name == best.input.name }
        }
        return stored.map { $0.renamed(names) }
    }

    /// Returns the number of parts at the ends of paths that an input has in common with a stored spelling; 0 if a file has another
    /// name.
    private static func score(_ input: Input, _ spelling: String) -> Int {
        let stored = input.paths.count == 1 ? [spelling[...]] : spelling.split(separator: ", ")
        guard stored.count == input.paths.count else { return 0 }
        let common = zip(input.paths, stored).map { own, stored in
            zip(own.reversed(), parts(of: String(stored)).reversed()).prefix { $0 == $1 }.count
        }
        return common.contains(0) ? 0 : common.reduce(0, +)
    }

    /// Returns the names of the folders and of the file in a path, without `.` and `..`.
    private static func parts(of path: String) -> [Substring] {
        path.split(separator: "/").reduce(into: []) { parts, part in
            switch part {
            case ".": break
            case "..": _ = parts.popLast()
            default: parts.append(part)
            }
        }
    }

    private static func absolute(_ path: String) -> String {
        guard !path.hasPrefix("/"), let folder = getcwd(nil, 0) else { return path }
        defer { free(folder) }
        return String(cString: folder) + "/" + path
    }
}

extension FoundResult {
    /// Returns the same result with another name of its recording, if there is one.
    ///
    /// - Parameter names: The new names by the present ones.
    fileprivate func renamed(_ names: [String: String]) -> FoundResult {
        guard let name = names[moment.recording] else { return self }
        return FoundResult(
            moment: Moment(recording: name, kind: moment.kind, stream: moment.stream, time: moment.time),
            text: text, summary: summary)
    }
}
