import Foundation
import MCAP
import Testing

/// The Python library of the format's authors, in the environment that `scripts/peers` creates.
@Suite(
    "MCAP files and the mcap library for Python",
    .enabled(if: PythonMCAP.isThere, "scripts/peers has not been run, or found no mcap"))
struct PeerTests {
    @Test(
        "The mcap library for Python reads our files and finds all checksums correct",
        arguments: SampleFile.compressions, [1, 3000, 1 << 20])
    func reads(_ compression: Compression, _ chunkSize: Int) throws {
        let messages = SampleFile.messages(400)
        let bytes = try SampleFile.bytes(messages, compression, chunkSize: chunkSize) {
            $0.selfContainedChunks = chunkSize == 3000
        }
        let path = try PythonMCAP.path("ours-\(compression.rawValue)-\(chunkSize).mcap")
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        let lines = try PythonMCAP.run("read", path)
        let wanted = messages.sorted { ($0.logTime, $0.sequence) < ($1.logTime, $1.sequence) }.map { message in
            let hex = Self.hex(message.data)
            let channel = message.channelID == 1 ? "hand/left json frame" : "pen json -"
            return "message \(message.logTime) \(message.publishTime) \(message.sequence) \(channel) \(hex)"
        }
        let isSame = lines.filter { $0.hasPrefix("message") } == wanted
        #expect(isSame)
        #expect(lines.contains("attachment 5 notes.txt text/plain \(Self.hex("written by hand".utf8))"))
        #expect(lines.contains("metadata recording [('place', 'Ulm'), ('version', '1.0')]"))
        #expect(lines.contains { $0.hasPrefix("statistics 400 ") })
        #expect(lines.last == "streaming 400")
    }

    private static func hex(_ bytes: some Sequence<UInt8>) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    @Test("Files of the mcap library for Python are read", arguments: ["none", "lz4", "zstd"])
    func writes(_ how: String) throws {
        let path = try PythonMCAP.path("theirs-\(how).mcap")
        _ = try PythonMCAP.run("write", path, how)
        var streaming = StreamingReader(try FileInput(path: path))
        var records: [Record] = []
        while let record = try streaming.next() { records.append(record) }
        #expect(records.messages.count == 500)
        for (number, message) in records.messages.enumerated() {
            #expect(message.sequence == UInt32(number))
            #expect(message.logTime == UInt64(number * 10 + 7 * (number % 3)))
            #expect(String(decoding: message.data, as: UTF8.self) == "{\"number\":\(number)}")
            #expect(streaming.channels[message.channelID]?.topic == (number % 2 == 0 ? "a" : "b"))
        }
        let indexed = try IndexedReader(try FileInput(path: path))
        var cursor = try indexed.messages(in: 1000..<2000) { $0.topic == "b" }
        var found: [UInt32] = []
        while let message = try cursor.next() { found.append(message.sequence) }
        let wanted = (0..<500).filter { (number: Int) -> Bool in
            let time = number * 10 + 7 * (number % 3)
            return number % 2 == 1 && (1000..<2000).contains(time)
        }
        #expect(found == wanted.map { UInt32($0) })
        #expect(try indexed.attachmentIndexes.map { try indexed.attachment($0).data } == [Array("attached".utf8)])
        #expect(try indexed.metadataIndexes.map { try indexed.metadata($0).values } == [[StringPair("key", "value")]])
        #expect(try SampleFile.recover(Array(try Data(contentsOf: URL(fileURLWithPath: path)))).losses.isEmpty)
    }
}

/// Runs `Tests/peers/mcap_peer.py`.
enum PythonMCAP {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    /// Whether the program can be run.
    static let isThere: Bool = (try? run(program: ["-c", "import mcap.writer, zstandard, lz4"])) != nil

    struct Failure: Error { let status: Int32 }

    static func run(_ arguments: String...) throws -> [String] {
        try run(program: [root.appendingPathComponent("Tests/peers/mcap_peer.py").path] + arguments)
    }

    private static func run(program: [String]) throws -> [String] {
        let process = Process()
        process.executableURL = root.appendingPathComponent(".venv/bin/python")
        process.arguments = program
        let output = Pipe()
        process.standardOutput = output
        if program.first == "-c" { process.standardError = FileHandle.nullDevice }
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw Failure(status: process.terminationStatus) }
        return text.split(separator: "\n").map(String.init)
    }

    /// Returns a path for a file that tests may write.
    static func path(_ name: String) throws -> String {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("mcap-peer-\(getpid())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        return folder.appendingPathComponent(name).path
    }
}
