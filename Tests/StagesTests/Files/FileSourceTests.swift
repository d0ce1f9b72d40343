import Foundation
import Pipeline
import PipelineComponents
import PipelineTesting
import Testing

@testable import Connectors
@testable import Stages

@Suite("The file source")
struct FileSourceTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Returns a stroke in canonical JSON.
    static func line(_ time: Int, stream: String = "pen", extra: String = "") -> String {
        #"{"v":1,"kind":"stroke","stream":"\#(stream)","t_us":\#(time),"fields":"xy","pts":[\#(time),2,3,4]\#(extra)}"#
    }

    @Test("The file source reads lines with any line ending, and skips blank lines")
    func lines() async throws {
        let path = try folder.write(
            "a.jsonl", "\u{FEFF}\(Self.line(1))\r\n\n   \n\(Self.line(2))\n\(Self.line(3))")
        let reading = try await readStrokes(path)
        #expect(reading.frames.map(\.timestamp.rawValue) == [1, 2, 3])
        #expect(reading.frames.map(\.sequence) == [0, 1, 2])
        #expect(reading.failures.isEmpty)
    }

    @Test("The file source gives the same frames for any sizes of blocks and batches")
    func cuts() async throws {
        var generator = PayloadGenerator(seed: 9)
        var text = ""
        for i in 0..<60 {
            var frame = generator.frame(generator.stroke())
            frame.timestamp = .microseconds(Int64(i))
            text += try encode(frame) + (i % 7 == 0 ? "\r\n" : "\n")
            if i % 11 == 0 { text += "{\"broken\"\n" }
        }
        let path = try folder.write("a.jsonl", text)
        let whole = try await readStrokes(path)
        #expect(whole.frames.count == 60)
        #expect(whole.failures.count == 6)
        for (limit, block) in [(1, 16), (3, 17), (64, 64), (1000, 100), (7, 4096), (1, 1 << 20)] {
            let cut = try await readStrokes(path, limit: limit, blockSize: block)
            #expect(cut.frames == whole.frames)
            #expect(cut.failures.map(\.description) == whole.failures.map(\.description))
        }
    }

    @Test("Errors of files with the same name give the full path; frames name the file without its folder")
    func sameNames() async throws {
        let broken = "\(Self.line(1))\n{\n"
        let paths = try ["day1", "day2"].map { try folder.write("data/\($0)/session.jsonl", broken) }
        for path in paths {
            let reading = try await readStrokes(path) { $0.origin = true }
            #expect(reading.failures.first?.location?.hasPrefix("\(path), line 2, byte") == true)
            #expect(reading.frames.map { $0.origin?.file } == ["session.jsonl"])
        }
        let both = try await readStrokes("\(folder.path)/data")
        #expect(both.failures.compactMap { $0.location?.split(separator: ",").first.map(String.init) } == paths)
    }

    @Test("The file source gives the position of an error and reads on")
    func errors() async throws {
        let path = try folder.write(
            "session.jsonl",
            "\(Self.line(1))\n{\"t_us\":2,\"fields\":\"xy\",\"pts\":[1,\"two\"]}\n\(Self.line(3))\n{\"t_us\"")
        let reading = try await readStrokes(path)
        #expect(reading.frames.map(\.timestamp.rawValue) == [1, 3])
        #expect(
            reading.failures.map(\.description) == [
                "\(path), line 2, byte 33: \"pts\": expected a number, found a string [decode.type] (send a number)",
                "\(path), line 4, byte 7: the text ends before the value does [decode.truncated]",
            ])
    }

    @Test(
        "The file source refuses an object over several lines, also if decode describes the messages",
        arguments: [
            "{\n \"t\": 1,\n \"pts\": [\n  [1,2]\n ]\n}\n", "\u{FEFF}\n{\r\n\t\"t\": 1}\r\n", "{\n\"t\": 1\n}",
            "{\"pts\": [[1,2]],\n \"t\": 1}\n", "{\"pts\": [\n  {\"x\":1,\"y\":2}\n], \"t\": 1}\n", "{\"t\": 1\n}\n",
        ])
    func severalLines(text: String) async throws {
        let path = try folder.write("a.json", text)
        for points in [[], [try FieldPath("pts")]] {
            let error = await #expect(throws: PipelineError.self) {
                try await readStrokes(path) { $0.decode.points = points }
            }
            #expect(error?.code == "file.document" && error?.category == .environment)
            #expect(error?.message == "\(path) is one JSON document over several lines, not JSON Lines")
            #expect(error?.help == "write it on one line: jq -c . \(path) > \(path).jsonl")
        }
    }

    @Test(
        "The file source reads on after a first line that was cut off, which is one error",
        arguments: [
            ("{", 0), ("{\n", 0), ("{\"t\":1,\"pts\":[[1,2]", 0),
            ("{\"t\":1,\"pts\":[[1,2],\n{\"t\":2,\"pts\":[[1,2]]}\n", 1),
            ("{\"t\":1,\"pt\n{\"t\":2,\"pts\":[[1,2]]}\n{\"t\":3,\"pts\":[[1,2]]}\n", 2),
            ("{\n\n{\"t\":2,\"pts\":[[1,2]]}\n", 1),
            ("{\"t\":1,\"pts\":[[1,2]]}\n {\"t\":2,\"pts\":[[1,2]]}\n{\"t\":3", 2),
        ])
    func cutOff(text: String, frames: Int) async throws {
        let (points, time) = (try FieldPath("pts"), try FieldPath("t"))
        let reading = try await readStrokes(try folder.write("a.jsonl", text)) {
            ($0.decode.points, $0.decode.t, $0.decode.tUnit) = ([points], [time], .s)
        }
        #expect(reading.frames.count == frames)
        #expect(reading.failures.map(\.code) == ["decode.truncated"])
    }

    @Test(
        "file source: ** stands for any number of folders, including none",
        arguments: [
            ("data/**/*.jsonl", [1, 2, 3, 4, 5]), ("data/**/b/*.jsonl", [3, 5]), ("data/a/**/*.jsonl", [2, 3, 4]),
            ("data/**", [1, 2, 3, 4, 5]), ("data/**/c/**/*", [4]), ("da*/**/**/2.jsonl", [2]),
            ("data/**/a/*.jsonl", [2]),
            ("data/*/*.jsonl", [2, 5]), ("data/**/*", [1, 2, 3, 4, 5]),
        ])
    func folders(pattern: String, times: [Int64]) async throws {
        for (number, name) in ["1", "a/2", "a/b/3", "a/b/c/4", "b/5"].enumerated() {
            try folder.write("data/\(name).jsonl", Self.line(number + 1))
        }
        try folder.write("data/.hidden/6.jsonl", Self.line(6))
        try folder.write("data/a[b].d/notes.txt", "")
        let reading = try await readStrokes("\(folder.path)/\(pattern)")
        #expect(reading.frames.map(\.timestamp.rawValue).sorted() == times)
        // A link to a parent folder does not cause an endless loop.
        try FileManager.default.createSymbolicLink(
            atPath: "\(folder.path)/data/a/up", withDestinationPath: "\(folder.path)/data")
        if pattern.contains("**") {
            #expect(try await readStrokes("\(folder.path)/\(pattern)").frames.count == times.count)
        }
    }

    @Test("The file source reads a folder although it contains links that lead nowhere, or back to the folder")
    func links() async throws {
        try folder.write("data/a/1.jsonl", Self.line(1))
        try folder.write("data/2.jsonl", Self.line(2))
        let files = FileManager.default
        try files.createSymbolicLink(
            atPath: "\(folder.path)/data/notes.txt", withDestinationPath: "\(folder.path)/gone.txt")
        try files.createSymbolicLink(atPath: "\(folder.path)/data/a/up", withDestinationPath: "\(folder.path)/data")
        try files.createSymbolicLink(
            atPath: "\(folder.path)/data/3.jsonl", withDestinationPath: "\(folder.path)/data/2.jsonl")
        #expect(try await readStrokes("\(folder.path)/data").frames.map(\.timestamp.rawValue) == [2, 2, 1])
        // A file that would be read and is not there is an error.
        try files.createSymbolicLink(
            atPath: "\(folder.path)/data/4.jsonl", withDestinationPath: "\(folder.path)/gone.jsonl")
        let error = await #expect(throws: PipelineError.self) { try await readStrokes("\(folder.path)/data") }
        #expect(error?.code == "file.not_found")
    }

    @Test("The file source finds files in folders whose names contain pattern characters")
    func strangeFolders() async throws {
        try folder.write("data/a[b]*?/x/1.jsonl", Self.line(1))
        #expect(try await readStrokes("\(folder.path)/data/**/*.jsonl").frames.count == 1)
        await #expect(throws: PipelineError.self) { try await readStrokes("\(folder.path)/data/**/y*.jsonl") }
    }

    @Test("file source: a file is named by its file name, or by its path from the given folder")
    func names() throws {
        try folder.write("data/a/1.jsonl", "")
        func names(_ path: String) throws -> [String] {
            try FileListing.files(folder.path + path, extensions: ["jsonl"]).map(\.name)
        }
        #expect(try names("/data/a/1.jsonl") == ["1.jsonl"])
        for path in ["/data", "/data/", "/data/*", "/data/a/../a/*", "/data/**/*.jsonl", "/data/a"] {
            let expected = path == "/data/a" ? ["a/1.jsonl"] : path.contains("..") ? ["a/1.jsonl"] : ["data/a/1.jsonl"]
            #expect(try names(path) == expected, "\(path)")
        }
        for (path, parent) in [
            ("a.xml", ""), ("a", ""), ("b/a", "b/"), ("/b/a/", "/b/"), ("*.xml", ""), ("b/*.xml", ""),
            ("c/b/*/x", "c/"),
            ("/", ""), ("/*", ""), ("b*/x", ""), ("c/b*/x", ""),
        ] {
            #expect(FileListing.parent(of: path) == parent, "\(path)")
        }
    }

    @Test("The file source counts a binary file as one error")
    func binary() async throws {
        var random = PayloadGenerator.Random(state: 5)
        let noise = (0..<100_000).map { _ in UInt8.random(in: 0...255, using: &random) }
        try folder.write("data/1.jsonl", Self.line(1))
        try folder.write("data/2.jsonl", bytes: noise)
        let wide = Array("\u{FEFF}\(Self.line(1))\n\(Self.line(2))".utf16).flatMap {
            [UInt8($0 & 255), UInt8($0 >> 8)]
        }
        try folder.write("data/3.jsonl", bytes: wide)
        try folder.write("data/4.xml", bytes: noise)
        try folder.write("data/5.csv", bytes: noise)
        try folder.write("data/6.jsonl", Self.line(2))
        let reading = try await readStrokes("\(folder.path)/data")
        #expect(reading.frames.map(\.timestamp.rawValue) == [1, 2])
        #expect(reading.failures.map(\.code) == Array(repeating: "decode.binary", count: 4))
        #expect(reading.failures.first?.location == "\(folder.path)/data/2.jsonl")
    }

    @Test(
        "The file source names the ending of compressed data in a file whose name does not have it",
        arguments: [([0x1F, 0x8B, 8, 0], "gzip", ".gz"), ([0x28, 0xB5, 0x2F, 0xFD], "Zstandard", ".zst")])
    func compressed(beginning: [UInt8], name: String, ending: String) async throws {
        for file in ["a.jsonl", "a.csv", "a"] {
            let reading = try await readStrokes(try folder.write(file, bytes: beginning + [1, 2, 0x0A, 3]))
            #expect(reading.failures.map(\.code) == ["decode.binary"])
            #expect(reading.failures.first?.message == "data compressed with \(name), not text")
            #expect(reading.failures.first?.help?.contains("ends in \(ending),") == true)
        }
    }

    @Test(
        "The file source counts a damaged line as one bad line, wherever it is",
        arguments: [
            [0], [UInt8](repeating: 0, count: 100_000), Array("{\"t_us\":1,\"fields\":\"x\0y\"}".utf8),
            Array("\(line(9))\0".utf8), [0] + Array(line(9).utf8), [0xFF, 0xFE, 0x7B, 0], [0xFE, 0xFF, 0, 0x7B],
            [UInt8](0...9) + [UInt8](11...255), Array("\u{1}\u{2}\u{3}".utf8),
        ])
    func damagedLine(damage: [UInt8]) async throws {
        for place in 0...3 {
            var lines = (1...3).map { Array(Self.line($0).utf8) }
            lines.insert(damage, at: place)
            let path = try folder.write("\(place).jsonl", bytes: Array(lines.joined(separator: [0x0A])))
            let reading = try await readStrokes(path)
            #expect(reading.frames.map(\.timestamp.rawValue) == [1, 2, 3])
            #expect(reading.failures.count == 1)
            #expect(reading.failures.first?.location?.hasPrefix("\(path), line \(place + 1), byte") == true)
        }
    }

    @Test("The file source counts a NUL byte in a table as one bad row")
    func damagedRow() async throws {
        let path = try folder.write("a.csv", bytes: Array("x,y,t\n1,2,0\n3,\0,1\n\05,6,2\n7,8,3\n".utf8))
        var options = FileSource.Options()
        options.path = FilePath(path)
        options.decode.tUnit = .s
        let reading = try await drain(FileReplay<Points>(options, defaultStream: "file"))
        #expect(reading.frames.flatMap(\.payload.samples).map(\.x) == [1, 7])
        #expect(reading.failures.map(\.location) == ["\(path), line 3, byte 2", "\(path), line 4, byte 0"])
    }

    @Test("The file source does not report a gesture file as damaged if a request to stop ends the wait for its rest")
    func stoppedDocument() async throws {
        let path = "\(folder.path)/a.xml"
        try #require(mkfifo(path, 0o600) == 0)
        let writer = open(path, O_RDWR)
        try #require(writer >= 0)
        defer { close(writer) }
        let begin = Array("<Gesture Name='a'>".utf8)
        try #require(write(writer, begin, begin.count) == begin.count)
        let stop = StopSignal()
        Thread.detachNewThread {
            // Waits until the source has read the beginning.
            var unread = pollfd(fd: writer, events: Int16(POLLIN), revents: 0)
            while poll(&unread, 1, 0) > 0 { usleep(1000) }
            stop.request()
        }
        var options = FileSource.Options()
        options.path = FilePath(path)
        let reading = try await drain(FileReplay<Stroke>(options, defaultStream: "file"), stop: stop)
        #expect(reading.story == [])
    }

    @Test("The file source logs that a file is empty, which is not an error")
    func empty() async throws {
        for name in ["a.jsonl", "a.csv", "a.xml"] {
            let reading = try await readStrokes(try folder.write(name, ""))
            #expect(reading.frames.isEmpty)
            #expect(reading.failures.isEmpty)
            #expect(reading.log.contains { $0.hasSuffix("\(name) is empty") }, "\(name)")
        }
    }

    @Test("The file source refuses a missing file or a folder before anything runs")
    func environment() async throws {
        try folder.write("file", "")
        try folder.write("hollow/readme.txt", "")
        try FileManager.default.createSymbolicLink(
            atPath: folder.path + "/circle.jsonl", withDestinationPath: folder.path + "/circle.jsonl")
        for (path, code) in [
            ("missing.jsonl", "file.not_found"), ("file/inside.jsonl", "file.unreadable"),
            ("circle.jsonl", "file.unreadable"), ("hollow", "file.empty_folder"), ("*.nothing", "file.no_match"),
        ] {
            let error = await #expect(throws: PipelineError.self) { try await readStrokes("\(folder.path)/\(path)") }
            #expect(error?.code == code)
            #expect(error?.category == .environment)
        }
    }

    @Test(
        "The file source refuses a file that may not be read before anything runs",
        .enabled(if: geteuid() != 0, "the superuser may read everything"))
    func permissions() async throws {
        let path = try folder.write("secret.jsonl", Self.line(1))
        try FileManager.default.setAttributes([.posixPermissions: 0], ofItemAtPath: path)
        let error = await #expect(throws: PipelineError.self) { try await readStrokes(path) }
        #expect(error?.code == "file.unreadable")
    }

    @Test("The file source reads the files of a folder and its subfolders in natural order")
    func folders() async throws {
        for (i, name) in ["2.jsonl", "10.jsonl", "a/1.jsonl", "a/02.jsonl", "a1.jsonl", "a10.jsonl"].enumerated() {
            try folder.write("data/\(name)", Self.line(i))
        }
        try folder.write("data/.hidden.jsonl", "nothing to read")
        try folder.write("data/notes.txt", "nothing to read")
        let reading = try await readStrokes("\(folder.path)/data")
        #expect(reading.frames.map(\.timestamp.rawValue) == [0, 1, 2, 3, 4, 5])
        let pattern = try await readStrokes("\(folder.path)/data/a*.jsonl")
        #expect(pattern.frames.map(\.timestamp.rawValue) == [4, 5])
        #expect(reading.progress.total > 0)
        #expect(reading.progress.done == reading.progress.total)
    }

    @Test("The file source sorts numbers in names by value")
    func naturalOrder() {
        let names = ["", "a", "a/2", "a/10", "a-1", "a1", "a01b", "a2", "a10", "a10b", "b"]
        for (i, a) in names.enumerated() {
            for (j, b) in names.enumerated() where a != b {
                #expect(naturallyPrecedes(a, b) == (i < j), "\(a) and \(b)")
            }
            #expect(!naturallyPrecedes(a, a))
        }
    }

    @Test("The file source refuses a line that is too long and reads on")
    func longLines() async throws {
        let long = Self.line(2, extra: ",\"zz\":\"\(String(repeating: "z", count: 5000))\"")
        for text in ["\(Self.line(1))\n\(long)\n\(Self.line(3))\n", "\(Self.line(1))\n\(Self.line(3))\n\(long)"] {
            let path = try folder.write("a.jsonl", text)
            for block in [16, 300, 1 << 20] {
                let reading = try await readStrokes(path, blockSize: block) { $0.maxLineBytes = 1000 }
                #expect(reading.frames.map(\.timestamp.rawValue) == [1, 3])
                #expect(reading.failures.map(\.code) == ["decode.line_too_long"])
            }
        }
    }

    @Test("The file source says from which byte on a MessagePack file cannot be read", arguments: [64, 1 << 20])
    func unreadable(blockSize: Int) async throws {
        let message = try withPadded(Array(Self.line(1).utf8)) { text in
            var json = try CanonicalDecoder<Stroke>(defaultStream: "")
            let frame = try #require(try json.decode(text).frame)
            var encoder = MessageEncoder(.msgpack)
            try encoder.encode(frame)
            return try encoder.withMessage { Array($0) }
        }
        let path = "\(folder.path)/a.msgpack"
        try Data(message + message + [0xC1] + message).write(to: URL(fileURLWithPath: path))
        let reading = try await readStrokes(path, blockSize: blockSize)
        #expect(reading.frames.count == 2)
        #expect(reading.failures.map(\.location) == ["\(path), message 3, byte 0"])
        #expect(
            reading.failures.first?.message.hasSuffix("cannot be read from byte \(2 * message.count) on") == true)
    }

    @Test("The file source says that text follows a value, where it begins, also if a string in it is not closed")
    func trailing() async throws {
        let line = Self.line(1)
        let path = try folder.write("a.jsonl", "\(line) trailing\n\(line)it's \"open\n\(line)  {}\n\(line)\n")
        let reading = try await readStrokes(path)
        #expect(reading.frames.count == 1)
        #expect(reading.failures.map(\.code) == Array(repeating: "decode.trailing", count: 3))
        let length = line.utf8.count
        #expect(
            reading.failures.map(\.location)
                == zip(1..., [length + 1, length, length + 2]).map {
                    "\(path), line \($0), byte \($1)"
                })
    }

    @Test("The file source warns of each pattern of streams that matches no stream, and of no other")
    func unmatchedStreams() async throws {
        let path = try folder.write("a.jsonl", "\(Self.line(1, stream: "pen/1"))\n\(Self.line(2, stream: "pen/2"))\n")
        let reading = try await readStrokes(path) {
            $0.streams = ["pen/1", "brush/*"]
            $0.renameStreams = StreamNames([("pen/*", "stylus"), ("chalk", "crayon")])
        }
        #expect(reading.frames.map(\.stream) == ["stylus"])
        let words = reading.log.filter { $0.contains("matches") }
        #expect(words.count == 2)
        #expect(words.first?.contains("no stream in \(path) matches \"brush/*\"") == true)
        #expect(words.last?.contains("\"chalk\"") == true)
    }

    @Test("The file source warns of a path of decode that no message has, and counts messages without points as none")
    func unusedPath() async throws {
        let text = (0..<4).map { #"{"t":\#($0),"p":\#($0 < 3 ? "[]" : "[[1,2],[3,4]]"),"c":[0.5,0.5]}"# }
        let path = try folder.write("a.jsonl", text.joined(separator: "\n"))
        var options = FileSource.Options()
        options.path = FilePath(path)
        options.kind = .landmarks
        options.landmarks.topology = TopologyName(try Topology(identifier: "pliers(tip,end)"))
        options.decode.points = [try FieldPath("p")]
        options.decode.t = [try FieldPath("t")]
        options.decode.tUnit = .s
        options.decode.confidences = [try FieldPath("c")]
        options.decode.score = [try FieldPath("sure"), try FieldPath("score")]
        options.decode.end = [try FieldPath("last")]
        let reading = try await drain(FileReplay<Landmarks>(options, defaultStream: "file"))
        #expect(reading.frames.first?.payload.confidences == [0.5, 0.5])
        #expect(reading.log.count == 1)
        #expect(
            reading.log.first?.hasSuffix("no message has \"sure\" or \"score\", which decode gives as score") == true)
        let empty = try folder.write("b.jsonl", text.prefix(3).joined(separator: "\n"))
        options.path = FilePath(empty)
        #expect(try await drain(FileReplay<Landmarks>(options, defaultStream: "file")).log == [])
    }

    @Test("The file source warns once if messages have more hands than kind: landmarks reads")
    func furtherHands() async throws {
        let text = [40, 80, 120].map {
            SenderMessages.mediaPipePython.replacing("\"timestamp_ms\": 40", with: "\"timestamp_ms\": \($0)")
        }
        var options = FileSource.Options()
        options.path = FilePath(try folder.write("a.jsonl", text.joined(separator: "\n")))
        options.decode.preset = .mediapipe
        options.kind = .landmarks
        let first = try await drain(FileReplay<Landmarks>(options, defaultStream: "file"))
        #expect(first.frames.map(\.payload.handedness) == ["Right", "Right", "Right"])
        #expect(first.log.count == 1)
        #expect(
            first.log.first?.hasSuffix(
                "a message has 2 hands, but kind: landmarks reads only the first; kind: hands reads all") == true)
        options.kind = .hands
        let all = try await drain(FileReplay<Hands>(options, defaultStream: "file"))
        #expect(all.frames.map(\.payload.hands.count) == [2, 2, 2] && all.log == [])
    }

    @Test("The file source replays only the selected streams, and their failures, under their new names")
    func streams() async throws {
        let path = try folder.write(
            "a.jsonl",
            (["pen/1", "pen/2", "hand/left", "camera"].enumerated().map { Self.line($0, stream: $1) }
                + [Self.line(4, stream: "pen/2").replacing("[4,", with: "[true,")]).joined(separator: "\n"))
        let reading = try await readStrokes(path) {
            $0.streams = ["pen/*", "camera"]
            $0.renameStreams = StreamNames([("pen/2", "stylus")])
        }
        #expect(reading.frames.map(\.stream) == ["pen/1", "stylus", "camera"])
        #expect(reading.losses == ["stylus after 3"])
    }

    @Test("The file source replays only the selected time range")
    func part() async throws {
        let path = try folder.write("a.jsonl", (5..<15).map { Self.line($0 * 1000) }.joined(separator: "\n"))
        let reading = try await readStrokes(path) {
            $0.startOffsetMs = 2
            $0.durationMs = 3
        }
        #expect(reading.frames.map(\.timestamp.rawValue) == [7000, 8000, 9000, 10000])
    }

    @Test("The file source with loop ends its streams at the end of the file and starts again")
    func loop() async throws {
        let path = try folder.write("a.jsonl", [1, 2].map { Self.line($0) }.joined(separator: "\n"))
        let reading = try await readStrokes(path, limit: 1, stopAfter: 5) { $0.loop = true }
        #expect(reading.frames.map(\.timestamp.rawValue) == [1, 2, 1, 2, 1])
        #expect(reading.ends == ["pen", "pen"])
        let nothing = try await readStrokes(try folder.write("b.jsonl", "\n\n")) { $0.loop = true }
        #expect(nothing.frames.isEmpty)
    }

    @Test("The file source replays at the given rate, by the given clock", arguments: [1.0, 2.0, 0.5])
    func rate(_ rate: Double) async throws {
        let times = [1000, 2000, 502_000, 502_500]
        let path = try folder.write("a.jsonl", times.map { Self.line($0) }.joined(separator: "\n"))
        let clock = SkippingClock()
        let begin = clock.now
        let reading = try await readStrokes(path, clock: clock) { $0.rate = .times(rate) }
        #expect(reading.times.map { $0 - begin } == times.map { Int64(Double(($0 - 1000) * 1000) / rate) })
    }

    @Test("The file source with pace arrival replays by the times of receipt")
    func arrival() async throws {
        let path = try folder.write(
            "a.jsonl",
            [(1000, 0), (2000, 70_000)].map { Self.line($0, extra: ",\"recv_us\":\($1)") }.joined(separator: "\n"))
        let clock = SkippingClock()
        let begin = clock.now
        let reading = try await readStrokes(path, clock: clock) {
            $0.rate = .times(1)
            $0.pace = .arrival
        }
        #expect(reading.times.map { $0 - begin } == [0, 70_000_000])
    }

    @Test("The file source reads nothing after a request to stop")
    func stop() async throws {
        let path = try folder.write("a.jsonl", (0..<100).map { Self.line($0) }.joined(separator: "\n"))
        let stop = StopSignal()
        stop.request()
        var options = FileSource.Options()
        options.path = FilePath(path)
        let reading = try await drain(FileReplay<Stroke>(options, defaultStream: "file"), stop: stop)
        #expect(reading.frames.isEmpty)
    }

    @Test("The file source reads a stroke of 200,000 points in small blocks")
    func longStroke() async throws {
        let count = 200_000
        let numbers = (0..<count).map { "\($0 % 977),\($0 % 1013)" }.joined(separator: ",")
        let path = try folder.write("a.jsonl", "{\"t_us\":1,\"fields\":\"xy\",\"pts\":[\(numbers)]}\n\(Self.line(2))")
        let reading = try await readStrokes(path, blockSize: 4096)
        #expect(reading.failures.isEmpty)
        #expect(reading.frames.map(\.payload.samples.count) == [count, 2])
    }

    @Test("The file source passes on the end of a stream")
    func end() async throws {
        let path = try folder.write(
            "a.jsonl", "\(Self.line(1, extra: ",\"end\":true"))\n{\"stream\":\"other\",\"end\":true}\n\(Self.line(2))")
        let reading = try await readStrokes(path, limit: 1)
        #expect(reading.frames.count == 2)
        #expect(reading.ends == ["pen", "other"])
    }
}
