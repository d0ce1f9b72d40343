import Pipeline

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Finds the files that a path names: the file itself, the files in a folder and its subfolders, or the files that match a pattern.
package enum FileListing {
    /// A file that was found.
    package struct File: Equatable, Sendable {
        /// The path of the file: the path that was given, or a path that begins like the folder or pattern that was given. Errors
        /// show it.
        package let path: String

        /// The name that frames use for the file.
        ///
        /// For a path to a single file, this is only the file's name. For a folder or a pattern, it is the path from the named
        /// folder on, including that folder: `recorded/s02/check01.xml`. The name does not depend on where that folder is.
        package let name: String

        fileprivate init(_ path: String, under folder: String? = nil) {
            self.path = path
            let name = folder.map { String(path.dropFirst($0.count)) } ?? fileName(path)
            self.name = name.hasPrefix("./") ? String(name.dropFirst(2)) : name
        }
    }

    /// Returns the files that a path names, in natural order of their names.
    ///
    /// - Parameters:
    ///   - path: A file, a folder or a pattern.
    ///   - extensions: The extensions of the files to include from a folder.
    /// - Throws: An environment error when there are no files, or when one cannot be read.
    package static func files(_ path: String, extensions: [String]) throws(PipelineError) -> [File] {
        switch SystemCalls.status(path) {
        case .success(let status) where !status.isDirectory:
            return [File(path)]
        case .success:
            let found = try contents(of: path, extensions: extensions)
            guard !found.isEmpty else {
                throw .environment(
                    "file.empty_folder", "\(path) is a folder without a file to read",
                    help: "the names of files to read end in \(extensions.map { ".\($0)" }.joined(separator: ", "))")
            }
            let parent = parent(of: path)
            return found.map { File($0, under: parent) }
        case .failure(let error):
            guard path.contains(where: isWildcard) else { throw error.reading(path) }
            let parts = path.split(separator: "/", omittingEmptySubsequences: false)
            var found: [String] = []
            for match in matches(of: parts) {
                switch SystemCalls.status(match) {
                // A pattern with `**` also matches the files inside a matching folder, so the folder's contents must not be added
                // again.
                case .success(let status) where status.isDirectory:
                    if !parts.contains("**") { found += try contents(of: match, extensions: extensions) }
                case .success:
                    if parts.last != "**" || extensions.contains(fileExtension(match)) { found.append(match) }
                case .failure(let error): throw error.reading(match)
                }
            }
            guard !found.isEmpty else { throw .environment("file.no_match", "no file matches \(path)") }
            let parent = parent(of: path)
            return found.map { File($0, under: parent) }
        }
    }

    /// Returns the part of the found files' paths that is not part of their ``File/name``, with a trailing `/`. Returns an empty
    /// string if there is none.
    ///
    /// For a file or a folder, this is the path of its parent folder. For a pattern, it is the parent of the last folder before the
    /// first wildcard: `data/` for `data/recorded/*/check.xml`.
    package static func parent(of path: String) -> String {
        var folder = path.prefix { !isWildcard($0) }
        if folder.endIndex != path.endIndex {
            guard let slash = folder.lastIndex(of: "/") else { return "" }
            folder = folder[...slash]
        }
        while folder.last == "/" { folder.removeLast() }
        return folder.lastIndex(of: "/").map { String(folder[...$0]) } ?? ""
    }

    private static func isWildcard(_ character: Character) -> Bool { "*?[".contains(character) }

    /// Returns the files in a folder and all its subfolders that have one of the given extensions. Skips hidden files, and links to
    /// folders, which may lead back to an enclosing folder.
    private static func contents(of folder: String, extensions: [String]) throws(PipelineError) -> [String] {
        let names: [String]
        do { names = try self.names(in: folder) } catch { throw error.reading(folder) }
        var found: [String] = []
        let prefix = folder.hasSuffix("/") ? folder : folder + "/"
        for name in names.sorted(by: naturallyPrecedes) {
            let path = prefix + name
            if SystemCalls.isFolder(path) {
                found += try contents(of: path, extensions: extensions)
            } else if extensions.contains(fileExtension(name)) {
                switch SystemCalls.status(path) {
                case .success(let status): if !status.isDirectory { found.append(path) }
                case .failure(let error): throw error.reading(path)
                }
            }
        }
        return found
    }

    /// Returns the names in a folder, except the hidden ones, in the order in which the system lists them.
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

    /// Returns the existing files whose names have the same digits wherever the last component of the path has `{n}`, in natural
    /// order.
    static func numbered(_ path: String) -> [String] {
        let name = fileName(path)
        let parts = name.split(separator: "{n}", omittingEmptySubsequences: false)
        guard parts.count > 1 else { return [] }
        let fixed = parts.reduce(0) { $0 + $1.count }
        let folder = String(path.dropLast(name.count))
        let names = (try? names(in: folder.isEmpty ? "." : folder)) ?? []
        return names.filter { name in
            let digits = name.dropFirst(parts[0].count).prefix(max(0, name.count - fixed) / (parts.count - 1))
            return !digits.isEmpty && digits.allSatisfy { $0.isASCII && $0.isWholeNumber }
                && name == parts.joined(separator: String(digits))
        }.sorted(by: naturallyPrecedes).map { folder + $0 }
    }

    /// Returns the paths that match a pattern, in natural order. A component `**` stands for any number of folders, including none;
    /// it does not follow links to folders.
    private static func matches(of parts: [Substring]) -> [String] {
        guard let place = parts.firstIndex(of: "**") else {
            return plainMatches(of: parts.joined(separator: "/")).sorted(by: naturallyPrecedes)
        }
        let head = parts[..<place].map { $0 + "/" }.joined()
        let roots = head.contains(where: isWildcard) ? plainMatches(of: head) : [head]
        let rest = parts[(place + 1)...].drop { $0 == "**" }
        let tail = rest.isEmpty ? ["*"] : Array(rest)
        let found = roots.flatMap(foldersBelow).flatMap { folder in
            let literal = folder.map { isWildcard($0) || $0 == "\\" ? "\\\($0)" : String($0) }.joined()
            return matches(of: [Substring(literal + tail[0])] + tail[1...])
        }
        return Set(found).sorted(by: naturallyPrecedes)
    }

    /// Returns a folder and all its subfolders that are not hidden, each with a trailing `/`. The empty string stands for the
    /// current folder.
    private static func foldersBelow(_ folder: String) -> [String] {
        let names = (try? names(in: folder.isEmpty ? "." : folder)) ?? []
        return [folder] + names.map { folder + $0 }.filter(SystemCalls.isFolder).flatMap { foldersBelow($0 + "/") }
    }

    /// Returns the paths that match a pattern without `**`.
    private static func plainMatches(of pattern: String) -> [String] {
        var result = glob_t()
        defer { globfree(&result) }
        guard glob(pattern, 0, nil, &result) == 0 else { return [] }
        return (0..<Int(result.gl_pathc)).compactMap { i in result.gl_pathv[i].map { String(cString: $0) } }
    }
}

/// Returns the part of a file's name after its last dot, in lower case, or an empty string when there is none.
package func fileExtension(_ path: String) -> String {
    let name = fileName(path)
    guard let point = name.lastIndex(of: "."), point != name.startIndex else { return "" }
    return name[name.index(after: point)...].lowercased()
}

/// Returns the last component of a path.
func fileName(_ path: String) -> String {
    path.split(separator: "/").last.map(String.init) ?? path
}

/// Returns whether one name precedes another in natural order.
///
/// Runs of digits compare as numbers, so `2` precedes `10`. A `/` precedes every other character, so that the files of a folder
/// stay together. Names that differ only in leading zeros compare byte by byte.
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
