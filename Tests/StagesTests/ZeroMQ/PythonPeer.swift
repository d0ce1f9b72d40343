import Foundation

/// A Python program of `Tests/peers`, in the environment that `scripts/peers` makes.
final class PythonPeer: Sendable {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()
    private static let python = root.appendingPathComponent(".venv/bin/python")

    /// Whether it can be run.
    static let isThere: Bool = {
        let probe = Process()
        probe.executableURL = python
        probe.arguments = ["-c", "import zmq"]
        probe.standardError = FileHandle.nullDevice
        guard (try? probe.run()) != nil else { return false }
        probe.waitUntilExit()
        return probe.terminationStatus == 0
    }()

    private let process: Process
    private let lines: AsyncStream<String>

    init(_ arguments: String...) throws {
        process = Process()
        process.executableURL = Self.python
        process.arguments = [Self.root.appendingPathComponent("Tests/peers/zmq_peer.py").path] + arguments
        let output = Pipe()
        process.standardOutput = output
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

    /// What stands behind a word at the beginning of a line.
    func next(_ word: String) async -> String? {
        for await line in lines where line.hasPrefix(word + " ") { return String(line.dropFirst(word.count + 1)) }
        return nil
    }
}
