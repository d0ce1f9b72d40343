import Foundation

/// A Python program of `Tests/peers`, in the environment that `scripts/peers` creates.
final class PythonPeer: Sendable {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()
    /// The root folder of the repository.
    static let folder = root.path
    private static let python = root.appendingPathComponent(".venv/bin/python")

    /// Whether the program can be run.
    static let isThere: Bool = {
        let probe = Process()
        probe.executableURL = python
        probe.arguments = ["-c", "import zmq, msgpack"]
        probe.standardError = FileHandle.nullDevice
        guard (try? probe.run()) != nil else { return false }
        probe.waitUntilExit()
        return probe.terminationStatus == 0
    }()

    private let process: Process
    private let lines: AsyncStream<String>
    private let input = Pipe()

    /// Runs `Tests/peers/zmq_peer.py`, or another program of the project.
    init(script: String = "Tests/peers/zmq_peer.py", _ arguments: String...) throws {
        process = Process()
        process.executableURL = Self.python
        process.arguments = [Self.root.appendingPathComponent(script).path] + arguments
        process.currentDirectoryURL = Self.root
        let output = Pipe()
        process.standardOutput = output
        process.standardInput = input
        let (lines, continuation) = AsyncStream<String>.makeStream()
        self.lines = lines
        Thread.detachNewThread {
            var text = ""
            while case let data = output.fileHandleForReading.availableData, !data.isEmpty {
                text += String(decoding: data, as: UTF8.self)
                while let end = text.firstIndex(of: "\n") {
                    continuation.yield(String(text[..<end]))
                    text = String(text[text.index(after: end)...])
                }
            }
            continuation.finish()
        }
        try process.run()
    }

    /// Sends a line to the program.
    func say(_ line: String) { try? input.fileHandleForWriting.write(contentsOf: Data("\(line)\n".utf8)) }

    /// Kills the program with `SIGKILL`.
    func kill() {
        _ = Foundation.kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    /// Waits for the next line that begins with a word and a space. Returns the text after them, or `nil` if the program's output
    /// has ended.
    func next(_ word: String) async -> String? {
        for await line in lines where line.hasPrefix(word + " ") { return String(line.dropFirst(word.count + 1)) }
        return nil
    }
}
