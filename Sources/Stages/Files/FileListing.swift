import Pipeline

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The files that a path names: itself, those in a folder and the folders in it, or those that a pattern fits.
enum FileListing {
    /// The files, in natural order of their names.
    ///
    /// - Parameter extensions: Which files of a folder count, by the end of their names.
    /// - Throws: An environment error when there is none, or one cannot be read.
    static func files(_ path: String, extensions: [String]) throws(PipelineError) -> [String] {
        switch SystemCalls.status(path) {
        case .success(let status) where !status.isDirectory:
            return [path]
        case .success:
            let found = try contents(of: path, extensions: extensions)
            guard !found.isEmpty else {
                throw .environment(
                    "file.empty_folder", "\(path) is a folder without a file to read",
                    help: "files that count end in \(extensions.map { ".\($0)" }.joined(separator: ", "))")
            }
            return found
        case .failure(let error):
            guard path.contains(where: { "*?[".contains($0) }) else { throw error.reading(path) }
            let matches = matches(of: path)
            guard !matches.isEmpty else { throw .environment("file.no_match", "no file fits \(path)") }
            var found: [String] = []
            for match in matches.sorted(by: naturallyPrecedes) {
                switch SystemCalls.status(match) {
                case .success(let status) where status.isDirectory:
                    found += try contents(of: match, extensions: extensions)
                case .success: found.append(match)
                case .failure(let error): throw error.reading(match)
                }
            }
            guard !found.isEmpty else { throw .environment("file.no_match", "no file fits \(path)") }
            return found
        }
    }

    /// The files in a folder and all folders in it whose names end as wanted. Hidden ones do not count.
    private static func contents(of folder: String, extensions: [String]) throws(PipelineError) -> [String] {
        // A folder may lead back to one above it by a symbolic link; the system refuses paths that grow without end.
        let names: [String]
        do { names = try self.names(in: folder) } catch { throw error.reading(folder) }
        var found: [String] = []
        let prefix = folder.hasSuffix("/") ? folder : folder + "/"
        for name in names.sorted(by: naturallyPrecedes) {
            let path = prefix + name
            switch SystemCalls.status(path) {
            case .success(let status) where status.isDirectory: found += try contents(of: path, extensions: extensions)
            case .success: if extensions.contains(fileExtension(name)) { found.append(path) }
            case .failure(let error): throw error.reading(path)
            }
        }
        return found
    }

    /// The names in a folder but the hidden ones, in the order the system gives them.
    private static func names(in folder: String) throws(SystemError) -> [String] {
        guard let directory = opendir(folder) else { throw SystemError(number: errno) }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 1) { String(cString: $0) }
            }
            if !name.hasPrefix(".") { names.append(name) }
        }
        return names
    }

    /// The files there are whose names have digits where `{n}` stands in the last part of a path, in natural order.
    static func numbered(_ path: String) -> [String] {
        let name = fileName(path)
        guard let place = name.firstRange(of: "{n}") else { return [] }
        let (head, tail) = (name[..<place.lowerBound], name[place.upperBound...])
        let folder = String(path.dropLast(name.count))
        let names = (try? names(in: folder.isEmpty ? "." : folder)) ?? []
        return names.filter { name in
            guard name.count > head.count + tail.count, name.hasPrefix(head), name.hasSuffix(tail) else { return false }
            return name.dropFirst(head.count).dropLast(tail.count).allSatisfy { $0.isASCII && $0.isWholeNumber }
        }.sorted(by: naturallyPrecedes).map { folder + $0 }
    }

    private static func matches(of pattern: String) -> [String] {
        var result = glob_t()
        defer { globfree(&result) }
        guard glob(pattern, 0, nil, &result) == 0 else { return [] }
        return (0..<Int(result.gl_pathc)).compactMap { i in result.gl_pathv[i].map { String(cString: $0) } }
    }
}

/// The part of a file's name behind its last point, in lower case; empty when there is none.
func fileExtension(_ path: String) -> String {
    let name = fileName(path)
    guard let point = name.lastIndex(of: "."), point != name.startIndex else { return "" }
    return name[name.index(after: point)...].lowercased()
}

/// The last part of a path.
func fileName(_ path: String) -> String {
    path.split(separator: "/").last.map(String.init) ?? path
}

/// Natural order: runs of digits compare as numbers, so that `2` stands before `10`. A `/` stands before all else, so
/// that a folder's files stay together. Names equal but for leading zeros compare byte by byte.
func naturallyPrecedes(_ a: String, _ b: String) -> Bool {
    func isDigit(_ byte: UInt8) -> Bool { byte >= 0x30 && byte <= 0x39 }
    func weight(_ byte: UInt8) -> UInt8 { byte == UInt8(ascii: "/") ? 0 : byte }
    let (x, y) = (Array(a.utf8), Array(b.utf8))
    var (i, j) = (0, 0)
    while i < x.count, j < y.count {
        if isDigit(x[i]), isDigit(y[j]) {
            while i < x.count, x[i] == 0x30 { i += 1 }
            while j < y.count, y[j] == 0x30 { j += 1 }
            let m = x[i...].prefix(while: isDigit)
            let n = y[j...].prefix(while: isDigit)
            if m.count != n.count { return m.count < n.count }
            if !m.elementsEqual(n) { return m.lexicographicallyPrecedes(n) }
            i = m.endIndex
            j = n.endIndex
        } else {
            if x[i] != y[j] { return weight(x[i]) < weight(y[j]) }
            i += 1
            j += 1
        }
    }
    if i < x.count || j < y.count { return i == x.count }
    return x.lexicographicallyPrecedes(y)
}
