import Foundation
import Pipeline
import PipelineTesting
import Testing

@testable import Connectors
@testable import Stages

/// A file source that reads in blocks on several threads, compared with standard input, which reads one message after another.
@Suite("A file read in blocks")
struct BlockReaderTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Returns messages of several streams, with and without sequence numbers, ends of streams, and blank, broken and long lines.
    private static func lines(_ count: Int, seed: UInt64) throws -> [String] {
        var generator = PayloadGenerator(seed: seed)
        return try (0..<count).map { number in
            var frame = generator.frame(generator.stroke())
            frame.timestamp = .microseconds(Int64(number))
            switch number % 23 {
            case 3: return "{\"broken\""
            case 5: return FileSourceTests.line(number, stream: "pen/\(number % 3)", extra: ",\"end\":true")
            case 7: return "   "
            case 9: return "{\"stream\":\"pen/1\",\"end\":true}"
            case 10: return "{\"stream\":\"pen/1\",\"seq\":\(number),\"quiet\":true,\"end\":true}"
            case 11: return FileSourceTests.line(number, extra: ",\"x\":\"\(String(repeating: "x", count: 3000))\"")
            case 13: return FileSourceTests.line(number) + "\r"
            case 12...: return FileSourceTests.line(number, stream: "pen/\(number % 3)")
            default: return try encode(frame)
            }
        }
    }

    private func fromStandardInput(_ path: String, _ format: DecodeOptions.Format) async throws -> [String] {
        var options = StdinSource.Options()
        options.decode.format = format
        options.maxLineBytes = 2000
        let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
        let source = LineSource<Stroke>(
            options, descriptor: file.fileDescriptor, name: path, defaultStream: "file")
        return try await drain(source).story
    }

    @Test(
        "A file that is read in blocks gives the same items as standard input, on 1, 2 and 8 threads, for any block size",
        arguments: [true, false])
    func lines(endsWithFeed: Bool) async throws {
        let text = try Self.lines(400, seed: 4).joined(separator: "\n") + (endsWithFeed ? "\n" : "")
        let path = try folder.write("a.jsonl", "\u{FEFF}" + text)
        let expected = try await fromStandardInput(path, .json)
        #expect(expected.count > 350)
        for (block, limit) in [(16, 64), (700, 1), (5000, 3), (40_000, 1000), (1 << 20, 64)] {
            for workers in [1, 2, 8] {
                let reading = try await readStrokes(path, limit: limit, blockSize: block, workers: workers) {
                    $0.maxLineBytes = 2000
                }
                #expect(reading.story == expected)
                #expect(reading.progress.done == reading.progress.total)
            }
        }
    }

    @Test(
        "A file of MessagePack that is read in blocks gives the same items as standard input, up to the first invalid byte",
        arguments: [[], [0xC1, 1, 2], [0x81, 0xA1]] as [[UInt8]])
    func documents(end: [UInt8]) async throws {
        let messages = try Self.lines(300, seed: 5).filter { $0.hasPrefix("{\"") && $0.hasSuffix("}") }.map { line in
            try withPadded(line.utf8) { try MessagePackWriter().write($0) { Array($0) } }
        }
        let path = try folder.write("a.msgpack", bytes: messages.flatMap { $0 } + end)
        let expected = try await fromStandardInput(path, .msgpack)
        #expect(expected.count > 250)
        for block in [16, 700, 5000, 1 << 20] {
            for workers in [1, 2, 8] {
                let reading = try await readStrokes(path, blockSize: block, workers: workers) { $0.maxLineBytes = 2000 }
                #expect(reading.story == expected)
            }
        }
    }

    @Test(
        "A file that is read in blocks gives the same selected and renamed frames for any block size and number of threads"
    )
    func selection() async throws {
        let text = try Self.lines(300, seed: 6).joined(separator: "\n")
        let path = try folder.write("a.jsonl", text)
        var stories: [[String]] = []
        for (block, workers) in [(1 << 20, 1), (500, 1), (500, 2), (3000, 8)] {
            stories.append(
                try await readStrokes(path, blockSize: block, workers: workers) {
                    $0.streams = ["pen/*"]
                    $0.renameStreams = StreamNames([("pen/2", "stylus")])
                    $0.startOffsetMs = 0.05
                    $0.durationMs = 0.1
                    $0.maxLineBytes = 2000
                }.story)
        }
        #expect(stories[0].contains { $0.contains("stylus") })
        for story in stories { #expect(story == stories[0]) }
    }

    @Test(
        "A file that is read in blocks gives its first frames in order if it is closed before its end",
        arguments: [1, 2, 8])
    func leaving(workers: Int) async throws {
        let path = try folder.write("a.jsonl", (0..<2000).map { FileSourceTests.line($0) }.joined(separator: "\n"))
        for count in [1, 100, 1000] {
            let reading = try await readStrokes(path, limit: 10, blockSize: 1000, stopAfter: count, workers: workers)
            #expect(reading.frames.map(\.timestamp.rawValue) == (0..<Int64(reading.frames.count)).map { $0 })
            #expect(reading.frames.count >= count)
        }
    }
}
