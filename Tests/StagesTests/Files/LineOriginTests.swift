import Foundation
import Pipeline
import PipelineComponents
import PipelineTesting
import Testing

@testable import Connectors
@testable import Stages

/// The file and the line in frames, if a source is configured to add them.
@Suite("The origins of frames")
struct LineOriginTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Returns the origins of frames as `file:line`.
    private static func places<P>(_ reading: Reading<P>) -> [String] {
        reading.frames.map { "\($0.origin?.file ?? "-"):\($0.origin?.line.map(String.init) ?? "-")" }
    }

    /// A file in which the time of every message is its line number, with blank, broken, overlong and other lines in between.
    private static let mixed = (1...400).map { number in
        switch number % 23 {
        case 3: "{\"broken\""
        case 5: FileSourceTests.line(number, extra: ",\"end\":true")
        case 7: "   \r"
        case 8: ""
        case 9: "{\"stream\":\"pen\",\"end\":true}"
        case 11: FileSourceTests.line(number, extra: ",\"x\":\"\(String(repeating: "x", count: 3000))\"")
        case 13: FileSourceTests.line(number) + "\r"
        case 14: FileSourceTests.line(number, extra: ",\"recv_us\":7,\"clock\":\"unix\",\"note\":[1]")
        default: FileSourceTests.line(number)
        }
    }

    @Test("Origins of frames: blank, broken and overlong lines and ends of streams count as lines, but give no frames")
    func byHand() async throws {
        let lines = [
            FileSourceTests.line(1) + "\r", "", "  ", "{\"broken\"", FileSourceTests.line(5),
            String(repeating: "x", count: 300),
            #"{"stream":"pen","end":true}"#, FileSourceTests.line(8) + "\r", "\r", FileSourceTests.line(10),
        ]
        let path = try folder.write("a.jsonl", "\u{FEFF}" + lines.joined(separator: "\n"))
        for (block, workers) in [(1 << 20, 1), (16, 1), (16, 8), (100, 2)] {
            let reading = try await readStrokes(path, blockSize: block, workers: workers) {
                $0.origin = true
                $0.maxLineBytes = 200
            }
            #expect(Self.places(reading) == ["a.jsonl:1", "a.jsonl:5", "a.jsonl:8", "a.jsonl:10"])
            #expect(reading.failures.count == 2)
        }
        #expect(try await readStrokes(path).frames.allSatisfy { $0.origin == nil })
    }

    @Test(
        "Origins of frames: line numbers are the same on 1, 2 and 8 threads, for blocks of any size, and at a given rate"
    )
    func blocks() async throws {
        let path = try folder.write("a.jsonl", Self.mixed.joined(separator: "\n"))
        var texts: Set<String> = []
        for (block, limit) in [(16, 64), (700, 1), (5000, 3), (1 << 20, 1000)] {
            for workers in [1, 2, 8] {
                for rate in [ReplayRate.max, .times(1000)] {
                    let reading = try await readStrokes(path, limit: limit, blockSize: block, workers: workers) {
                        $0.origin = true
                        $0.maxLineBytes = 2000
                        $0.rate = rate
                    }
                    #expect(reading.frames.count > 300)
                    #expect(reading.frames.allSatisfy { $0.origin?.line == $0.timestamp.rawValue })
                    #expect(reading.frames.allSatisfy { $0.origin?.file == "a.jsonl" })
                    texts.insert(try reading.frames.map { try encode($0) }.joined(separator: "\n"))
                }
            }
        }
        #expect(texts.count == 1)
        // Other origin fields and unknown keys of a frame are kept.
        let kept = #""pts":[14,2,3,4],"file":"a.jsonl","line":14,"note":[1]}"#
        #expect(texts.first?.contains(#""recv_us":7,"clock":"unix","#) == true && texts.first?.contains(kept) == true)
    }

    @Test("Origins of frames: a frame from MessagePack has the number of its message", arguments: [1, 2, 8])
    func messages(workers: Int) async throws {
        // Every tenth message is not a stroke.
        let messages = try (1...200).map { number in
            let text = number % 10 == 0 ? "{\"t_us\":\(number)}" : FileSourceTests.line(number)
            return try withPadded(text.utf8) { try MessagePackWriter().write($0) { Array($0) } }
        }
        let path = try folder.write("a.msgpack", bytes: messages.flatMap { $0 })
        for block in [16, 700, 1 << 20] {
            let reading = try await readStrokes(path, blockSize: block, workers: workers) { $0.origin = true }
            #expect(reading.frames.count == 180 && reading.failures.count == 20)
            #expect(reading.frames.allSatisfy { $0.origin?.line == $0.timestamp.rawValue })
        }
    }

    @Test(
        "Origins of frames: a frame from a compressed file has its line in the decompressed text",
        arguments: ["gz", "zst"])
    func packed(_ ending: String) async throws {
        let path = "\(folder.path)/a.jsonl.\(ending)"
        let file = try SystemCalls.openToWrite(path, O_WRONLY | O_CREAT).get()
        let output = try CompressingWriter(try #require(FileCompression(path: path)))
        let text = Self.mixed.joined(separator: "\n")
        #expect(Array(text.utf8).withUnsafeBytes { output.write($0, to: file) }.error == nil)
        #expect(output.finish(file) == nil)
        SystemCalls.close(file)
        for (block, workers) in [(64, 1), (700, 8), (1 << 20, 2)] {
            let reading = try await readStrokes(path, blockSize: block, workers: workers) {
                $0.origin = true
                $0.maxLineBytes = 2000
            }
            #expect(reading.frames.count > 300)
            #expect(reading.frames.allSatisfy { $0.origin?.line == $0.timestamp.rawValue })
        }
    }

    @Test("Origins of frames: lines are counted in each file, and files are named with their folders")
    func files() async throws {
        try folder.write("data/a.jsonl", "\n\(FileSourceTests.line(1))\n\(FileSourceTests.line(2))")
        try folder.write("data/b/1.jsonl", "\(FileSourceTests.line(3))\n\n\n\(FileSourceTests.line(4))\n")
        try folder.write(
            "data/b/2.xml",
            "<?xml version='1.0'?>\n<!-- drawn\nby hand -->\n <Gesture Name='x'><Point X='0' Y='0'/></Gesture>")
        let reading = try await readStrokes("\(folder.path)/data/**/*") { $0.origin = true }
        let name = folder.path.split(separator: "/").last.map(String.init) ?? ""
        #expect(
            Self.places(reading).map { $0.replacing("\(name)/", with: "") } == [
                "data/a.jsonl:2", "data/a.jsonl:3", "data/b/1.jsonl:1", "data/b/1.jsonl:4", "data/b/2.xml:4",
            ])
    }

    @Test(
        "Origins of frames: a gesture in a table has the line of its first row, and a piece of a stroke has the line of its row"
    )
    func rows() async throws {
        let path = try folder.write(
            "a.csv",
            """
            x,y,t,gesture\r
            0,0,0,a\r
            1,1,1,a\r
            \r
            oops,1,2,a
            5,5,10,b
            6,6,11,b
            7,7,20,"c
            d"
            8,8,30,e
            """)
        let strokes = try await readStrokes(path) {
            $0.origin = true
            $0.decode.tUnit = .ms
        }
        // The gesture on lines 2 to 5 has an unreadable row.
        #expect(strokes.frames.map { $0.origin?.line } == [6, 8, 10])
        #expect(strokes.failures.count == 1)
        var options = FileSource.Options()
        options.path = FilePath(path)
        options.decode.tUnit = .ms
        options.origin = true
        let pieces = try await drain(FileReplay<Points>(options, defaultStream: "file"))
        #expect(pieces.frames.map { $0.origin?.line } == [2, 3, 6, 7, 8, 10])
        // If a file contains a single gesture, its frame has the file's name even without the option origin.
        let whole = try folder.write("b.csv", "x,y\n\n1,2\n3,4\n")
        #expect(Self.places(try await readStrokes(whole)) == ["b.csv:-"])
        #expect(Self.places(try await readStrokes(whole) { $0.origin = true }) == ["b.csv:3"])
    }

    @Test("Origins of frames: a frame made from a single row of a table has the line of that row")
    func sets() async throws {
        let row = (0..<42).map(String.init).joined(separator: ",")
        var options = FileSource.Options()
        options.path = FilePath(try folder.write("a.csv", "\(row)\n\n1,2\n\(row)\n"))
        options.origin = true
        let reading = try await drain(FileReplay<Landmarks>(options, defaultStream: "file"))
        #expect(Self.places(reading) == ["a.csv:1", "a.csv:4"])
    }

    @Test(
        "Origins of frames: in JSON Lines and MessagePack, a recorded frame keeps the file and line that it was recorded with"
    )
    func recorded() async throws {
        let text = FileSourceTests.line(1, extra: #","file":"old/session.jsonl","line":9007199254740991"#)
        let packed = try withPadded(text.utf8) { try MessagePackWriter().write($0) { Array($0) } }
        for path in [try folder.write("a.jsonl", "\n" + text), try folder.write("a.msgpack", bytes: packed)] {
            for origin in [false, true] {
                let frame = try #require(try await readStrokes(path) { $0.origin = origin }.frames.first)
                #expect(frame.origin?.file == "old/session.jsonl" && frame.origin?.line == 9_007_199_254_740_991)
                #expect(try encode(frame).hasSuffix(#","file":"old/session.jsonl","line":9007199254740991}"#))
            }
        }
    }

    @Test(
        "Origins of frames: other programs' values under the keys file and line are kept if they are not a file and a line",
        arguments: [
            #""file":3,"line":"b7""#, #""file":{"a":[1]},"line":0"#, #""file":false,"line":-2"#, #""line":1.5"#,
            #""file":[],"line":[1]"#, #""line":9007199254740992"#, #""line":1e3"#,
        ])
    func foreign(extra: String) throws {
        let text = FileSourceTests.line(1, extra: "," + extra)
        let frame = try #require(try decode(Stroke.self, text).frame)
        #expect(frame.origin?.file == nil && frame.origin?.line == nil)
        let written = try encode(frame)
        #expect(written.hasSuffix("," + extra + "}"))
        #expect(try encode(#require(try decode(Stroke.self, written).frame)) == written)
    }

    @Test(
        "Origins of frames: messages of other shapes get a file and a line, which replace the message's own keys file and line"
    )
    func mapped() async throws {
        let path = try folder.write("a.jsonl", "\n{\"p\":[[1,2],[3,4]],\"line\":\"b7\",\"file\":\"x\",\"at\":1}")
        let (points, time) = (try FieldPath("p"), try FieldPath("at"))
        let reading = try await readStrokes(path) {
            $0.origin = true
            $0.decode.points = [points]
            $0.decode.t = [time]
            $0.decode.tUnit = .us
        }
        let frame = try #require(reading.frames.first)
        #expect(try encode(frame).hasSuffix(#","file":"a.jsonl","line":2}"#))
    }
}
