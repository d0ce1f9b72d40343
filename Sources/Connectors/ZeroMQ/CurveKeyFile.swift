import Pipeline

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Files that contain CURVE keys: certificates in the format of CZMQ and pyzmq (`public-key = "…"`, `secret-key = "…"`), or a file
/// that contains only a key.
package enum CurveKeyFile {
    /// One of the keys in a file, as named there.
    package enum Part: String {
        case publicKey = "public-key"
        case secretKey = "secret-key"
    }

    /// Reads a key from a file.
    ///
    /// - Throws: An environment error when the file cannot be read, does not contain the key, contains a secret that others may
    ///   read, or contains two keys that are not a pair.
    package static func read(_ part: Part, from path: String) throws(PipelineError) -> CurveKey {
        try checkIsFile(path, help: pairHelp)
        if part == .secretKey { try checkOwnerOnly(path) }
        let text = String(decoding: try readSmallFile(path), as: UTF8.self)
        guard let key = key(part, in: text) else {
            throw .environment(
                "zmq.key_file", "\(path) holds no \(part.rawValue)",
                help: pairHelp)
        }
        try checkPair(text, path)
        return key
    }

    private static let pairHelp = "pipectl keys makes a pair: NAME.key with the public key, NAME.key_secret with both"

    /// Throws an error when the two keys of a file are not a pair. Without this check, clients could use a public key that does not
    /// belong to the secret key in use.
    private static func checkPair(_ text: String, _ path: String) throws(PipelineError) {
        guard let line = line(of: .publicKey, in: text), let secret = self.line(of: .secretKey, in: text),
            let publicKey = CurveKey(secret.value)?.publicKey, CurveKey(line.value) != publicKey
        else { return }
        throw .environment(
            "zmq.key_pair", "the public-key does not belong to the secret-key beside it",
            location: "\(path), line \(line.number)",
            help: "write \(publicKey.text), which belongs to the secret key, or make a new pair with pipectl keys")
    }

    /// Reads a secret that is the whole first line of a file.
    static func readSecretLine(from path: String) throws(PipelineError) -> String {
        try checkIsFile(path, help: "write the password into its first line, and chmod 600 \(path)")
        try checkOwnerOnly(path)
        let text = String(decoding: try readSmallFile(path), as: UTF8.self)
        return String(text.prefix { $0 != "\n" && $0 != "\r" && $0 != "\r\n" })
    }

    /// Returns the content of a key file.
    package static func text(publicKey: CurveKey, secretKey: CurveKey?) -> String {
        let kind = secretKey == nil ? "public key" : "secret key: keep it to yourself"
        let secret = secretKey.map { "    secret-key = \"\($0.text)\"\n" } ?? ""
        return "# ZeroMQ CURVE, \(kind)\n\nmetadata\ncurve\n    public-key = \"\(publicKey.text)\"\n" + secret
    }

    /// Writes NAME.key, with the public key, and NAME.key_secret, with both keys. Writes both files or neither.
    package static func writePair(named name: String, publicKey: CurveKey, secretKey: CurveKey) throws(PipelineError) {
        let (secret, shared) = (name + ".key_secret", name + ".key")
        // Checks both paths first. Otherwise, a new file could end up next to an old file with the key of another pair.
        for path in [secret, shared] { try checkIsFree(path) }
        try write(text(publicKey: publicKey, secretKey: secretKey), to: secret, isSecret: true)
        do {
            try write(text(publicKey: publicKey, secretKey: nil), to: shared, isSecret: false)
        } catch {
            unlink(secret)
            throw error
        }
    }

    /// Creates a file that only its owner (`isSecret`) or everyone may read. Never overwrites an existing file.
    package static func write(_ text: String, to path: String, isSecret: Bool) throws(PipelineError) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, isSecret ? 0o600 : 0o644)
        guard descriptor >= 0 else {
            switch errno {
            case EEXIST: throw isThere(path)
            case ENOENT:
                throw .environment(
                    "zmq.key_file", "cannot write \(path): its folder does not exist", help: "make the folder first")
            case let number: throw .environment("zmq.key_file", "cannot write \(path): \(systemMessage(number))")
            }
        }
        defer { SystemCalls.close(descriptor) }
        if case .failure(let error) = Array(text.utf8).withUnsafeBytes({ SystemCalls.write(descriptor, $0) }) {
            // An incomplete file would block the next attempt to write a key.
            unlink(path)
            throw .environment("zmq.key_file", "cannot write \(path): \(systemMessage(error.number))")
        }
    }

    /// Throws an error when something exists at a path.
    private static func checkIsFree(_ path: String) throws(PipelineError) {
        var info = stat()
        if lstat(path, &info) == 0 { throw isThere(path) }
    }

    private static func isThere(_ path: String) -> PipelineError {
        .environment(
            "zmq.key_file", "cannot write \(path): it exists already",
            help: "choose another name: a key that is in use must not be lost")
    }

    private static func key(_ part: Part, in text: String) -> CurveKey? {
        if let line = line(of: part, in: text) { return CurveKey(line.value) }
        return CurveKey(text.filter { !$0.isWhitespace })
    }

    /// Returns the value after a name, and the number of its line (from 1).
    private static func line(of part: Part, in text: String) -> (value: String, number: Int)? {
        let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        for (index, line) in lines.enumerated() {
            let words = line.split(separator: "=", maxSplits: 1).map { $0.filter { !$0.isWhitespace } }
            guard words.count == 2, words[0] == part.rawValue else { continue }
            return (words[1].filter { $0 != "\"" }, index + 1)
        }
        return nil
    }

    /// Throws an error when nothing exists at a path, or when it is a directory.
    private static func checkIsFile(_ path: String, help: String) throws(PipelineError) {
        var info = stat()
        guard stat(path, &info) == 0 else { throw cannotRead(path, help: help) }
        guard info.st_mode & S_IFMT != S_IFDIR else {
            throw .environment("zmq.key_file", "cannot read \(path): it is a directory, not a file", help: help)
        }
    }

    private static func cannotRead(_ path: String, help: String?) -> PipelineError {
        .environment("zmq.key_file", "cannot read \(path): \(systemMessage(errno))", help: help)
    }

    private static func checkOwnerOnly(_ path: String) throws(PipelineError) {
        var info = stat()
        guard stat(path, &info) == 0 else { throw cannotRead(path, help: nil) }
        guard info.st_mode & 0o077 == 0 else {
            let mode = String(info.st_mode & 0o777, radix: 8)
            throw .environment(
                "zmq.key_mode", "\(path) holds a secret, and others may read it (mode 0\(mode))",
                help: "chmod 600 \(path)")
        }
    }

    private static func readSmallFile(_ path: String) throws(PipelineError) -> [UInt8] {
        do {
            return try WholeFile.read(path, limit: 65_536)
        } catch {
            throw PipelineError(wrapping: error)
        }
    }
}
