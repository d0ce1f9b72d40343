import Connectors
import Foundation
import MCAP
import Pipeline
import PipelineTesting
import Stages
import Testing

@testable import PipelineCommand

@Suite("The verbs for recordings")
struct RecordingVerbsTests {
    private let session = "\(Repository.root)/Samples/session.jsonl"
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func convert(_ arguments: String...) async throws -> Program.Ending {
        try await Program.shell("exec \"$0\" convert \"$@\"", [try Program.path()] + arguments, folder: folder.path)
    }

    private func text(_ name: String) throws -> String {
        try String(contentsOfFile: "\(folder.path)/\(name)", encoding: .utf8)
    }

    @Test(
        "Recordings: a recording that went through MCAP and back has the same bytes",
        arguments: ["none", "lz4", "zstd"])
    func bytes(_ compression: String) async throws {
        #expect(try await convert(session, "a.mcap", "--compression=\(compression)").code == 0)
        #expect(try await convert("a.mcap", "b.mcap").code == 0)
        #expect(try await convert("b.mcap", "a.jsonl").code == 0)
        #expect(try text("a.jsonl") == String(contentsOfFile: session, encoding: .utf8))
    }

    @Test("Recordings: a recording that went through compressed MessagePack and back has the same bytes")
    func formats() async throws {
        for (from, to) in [(session, "a.msgpack.zst"), ("a.msgpack.zst", "a.jsonl.gz"), ("a.jsonl.gz", "b.jsonl")] {
            let ending = try await convert(from, to)
            #expect(ending.code == 0, "\(ending.messages)")
        }
        #expect(try text("b.jsonl") == String(contentsOfFile: session, encoding: .utf8))
        // gzip can decompress the file.
        let unpacked = try await Program.shell("gzip -dc a.jsonl.gz", [], folder: folder.path)
        #expect(unpacked.results == (try text("b.jsonl")))
    }

    @Test("Recordings: convert copies only the selected streams and times")
    func selection() async throws {
        _ = try await convert(session, "a.mcap")
        _ = try await convert("a.mcap", "b.mcap", "--start-offset=2s", "--duration=3s")
        let all = try IndexedReader(try FileInput(path: "\(folder.path)/a.mcap")).statistics
        let part = try IndexedReader(try FileInput(path: "\(folder.path)/b.mcap")).statistics
        let start = try #require(all?.messageStartTime)
        #expect(try #require(part).messageCount > 0)
        #expect(try #require(part).messageCount < (all?.messageCount ?? 0))
        #expect(try #require(part).messageStartTime >= start + 2_000_000_000)
        #expect(try #require(part).messageEndTime <= start + 5_000_000_000)
        let none = try await convert("a.mcap", "c.mcap", "--streams=nobody")
        #expect(none.messages.contains("0 messages written"))
    }

    @Test(
        "Recordings: convert warns of a stream that no input has, and not of one that only some inputs have",
        arguments: [("a.mcap", "b.mcap", "c.mcap"), ("a.jsonl", "b.jsonl", "c.jsonl"), ("a.mcap", "b.jsonl", "c.mcap")])
    func unmatchedStreams(one: String, other: String, output: String) async throws {
        _ = try await convert(session, one, "--streams=pen/1")
        _ = try await convert(session, other, "--streams=pen/2")
        let ending = try await convert(one, other, output, "--streams=pen/1,pen/2,brush/*")
        #expect(ending.code == 0)
        #expect(
            ending.messages.withoutProgress.contains(
                "no stream in \(one), \(other) matches \"brush/*\"; pipectl info lists the streams"),
            "\(ending.messages)")
        #expect(!ending.messages.contains("pen/1") && !ending.messages.contains("pen/2"), "\(ending.messages)")
    }

    @Test(
        "Recordings: convert warns of a stream that several inputs have at overlapping times",
        arguments: [("jsonl", "jsonl"), ("jsonl", "mcap"), ("mcap", "mcap")])
    func overlaps(input: String, output: String) async throws {
        for (name, start) in [("a", 10), ("b", 20), ("c", 60)] {
            let lines = (0..<3).map { number in
                #"{"v":1,"kind":"stroke","stream":"pen","seq":\#(number),"t_us":\#(start + 10 * number),"#
                    + #""start_us":0,"fields":"xy","pts":[0,0]}"# + "\n"
            }
            try folder.write("\(name).jsonl", lines.joined())
            _ = try await convert("\(name).jsonl", "\(name).mcap")
        }
        let ending = try await convert("a.\(input)", "b.\(input)", "ab.\(output)")
        let warning =
            "warning[convert.overlap]: several inputs have frames of the stream \"pen\" at overlapping times\n"
        #expect(ending.code == 0 && ending.messages.contains(warning), "\(ending)")
        #expect(ending.messages.contains("or read ab.\(output) with on_disorder: clamp"), "\(ending)")
        let joined = try await convert("a.\(input)", "c.\(input)", "ac.\(output)")
        #expect(joined.code == 0 && !joined.messages.contains("warning"), "\(joined)")
    }

    @Test("Recordings: if the clocks of streams are too different to merge them, the help leads to all of the frames")
    func clocksOfTheirOwn() async throws {
        func lines(_ stream: String, _ count: Int, from begin: Int) -> String {
            (0..<count).map { number in
                #"{"v":1,"kind":"stroke","stream":"\#(stream)","seq":\#(number),"t_us":\#(begin + number * 1000),"#
                    + #""start_us":0,"fields":"xy","pts":[0,0]}"# + "\n"
            }.joined()
        }
        try folder.write("a.jsonl", lines("pen", 100, from: 2_000_000))
        try folder.write("b.jsonl", lines("camera", 1000, from: 9_000_000) + lines("pen", 100, from: 1_000_000))
        let ending = try await convert("a.jsonl", "b.jsonl", "c.jsonl")
        #expect(ending.code == 1 && ending.messages.contains("error[join.out_of_step]"), "\(ending)")
        #expect(
            ending.messages.contains(
                "help: convert each input to an MCAP file, these files to one MCAP file, and that to c.jsonl\n"),
            "\(ending)")
        for name in ["a", "b"] { _ = try await convert("\(name).jsonl", "\(name).mcap") }
        _ = try await convert("a.mcap", "b.mcap", "c.mcap")
        let whole = try await convert("c.mcap", "c.jsonl", "--force")
        #expect(whole.code == 0 && whole.messages.contains("1,200 frames written"), "\(whole)")
    }

    @Test("Recordings: several recordings are merged by time, and the same stream is one channel")
    func merge() async throws {
        _ = try await convert(session, "a.mcap", "--duration=3s")
        _ = try await convert(session, "b.mcap", "--start-offset=3001ms")
        _ = try await convert("b.mcap", "a.mcap", "c.mcap")
        _ = try await convert("c.mcap", "c.jsonl")
        #expect(try text("c.jsonl") == String(contentsOfFile: session, encoding: .utf8))
        let (one, both) = try (
            IndexedReader(try FileInput(path: "\(folder.path)/a.mcap")),
            IndexedReader(try FileInput(path: "\(folder.path)/c.mcap"))
        )
        #expect(Set(one.channels.values.map(\.topic)).isSubset(of: Set(both.channels.values.map(\.topic))))
        #expect(both.channels.count == Set(both.channels.values.map(\.topic)).count)
    }

    @Test(
        "Recordings: from a file without an index, messages in the time span are copied even if they follow a later message"
    )
    func unordered() async throws {
        var options = WriterOptions()
        (options.chunkSize, options.summary, options.summaryOffsets) = (nil, [], false)
        let writer = try Writer(FileOutput(path: "\(folder.path)/a.mcap"), options)
        try writer.add(Channel(id: 1, schemaID: 0, topic: "pen", messageEncoding: "json"))
        for (number, seconds) in [0, 10, 1, 9, 2].enumerated() {
            let time = UInt64(seconds) * 1_000_000_000
            try writer.write(
                Message(channelID: 1, sequence: UInt32(number), logTime: time, publishTime: time, data: [0x7B, 0x7D]))
        }
        try writer.finish()
        let ending = try await convert("a.mcap", "b.mcap", "--duration=5s")
        #expect(ending.messages.contains("3 messages written"), "\(ending.messages)")
        var cursor = try IndexedReader(FileInput(path: "\(folder.path)/b.mcap")).messages()
        var numbers: [UInt32] = []
        while let message = try cursor.next() { numbers.append(message.sequence) }
        #expect(numbers == [0, 2, 4])
    }

    @Test("Recordings: the selected times count from the first frame of each input, for every output")
    func selectionOfSeveral() async throws {
        for (name, start) in [("a", 1), ("b", 11)] {
            let lines = (start..<(start + 4)).map { second in
                #"{"v":1,"kind":"stroke","stream":"\#(name)","seq":\#(second),"t_us":\#(second)000000,"#
                    + #""start_us":0,"fields":"xy","pts":[0,0]}"# + "\n"
            }
            try folder.write("\(name).jsonl", lines.joined())
            _ = try await convert("\(name).jsonl", "\(name).mcap")
        }
        for (ending, out) in [("jsonl", "c.jsonl"), ("mcap", "c.mcap"), ("mcap", "d.jsonl")] {
            _ = try await convert("a.\(ending)", "b.\(ending)", out, "--start-offset=1s", "--duration=1s")
            _ = try await convert(out, "e.jsonl", "--force")
            let numbers = try text("e.jsonl").matches(of: /"seq":([0-9]+)/).map { String($0.1) }
            #expect(numbers == ["2", "3", "12", "13"], "\(out)")
        }
    }

    @Test("Recordings: --duration keeps frames that are earlier than the first one, as a copy of MCAP does")
    func earlierFrames() async throws {
        let lines = [10, 1, 12, 20].enumerated().map { number, second in
            #"{"v":1,"kind":"stroke","stream":"a\#(number)","seq":0,"t_us":\#(second)000000,"#
                + #""start_us":0,"fields":"xy","pts":[0,0]}"# + "\n"
        }
        try folder.write("a.jsonl", lines.joined())
        let ending = try await convert("a.jsonl", "b.jsonl", "--duration=5s")
        #expect(ending.code == 0, "\(ending.messages)")
        #expect(try text("b.jsonl") == lines[0] + lines[1] + lines[2])
    }

    @Test("Recordings: of a compressed recording, convert and info read everything before the damage, and say so")
    func damagedCompression() async throws {
        let text = try text(of: session)
        let count = text.utf8.count
        // A frame of Zstandard (RFC 8878): the text in one block without compression, then a block of a type that does not exist.
        let head: [UInt8] = [0x28, 0xB5, 0x2F, 0xFD, 0, 0x48]
        let block = [UInt8(count << 3 & 255), UInt8(count >> 5 & 255), UInt8(count >> 13 & 255)]
        try folder.write("a.jsonl.zst", bytes: head + block + Array(text.utf8) + [7, 0, 0])
        // A wrong checksum at the end, and a file without its end.
        _ = try await convert(session, "a.jsonl.gz")
        var packed = Array(try Data(contentsOf: URL(fileURLWithPath: "\(folder.path)/a.jsonl.gz")))
        packed[packed.count - 6] ^= 1
        try folder.write("b.jsonl.gz", bytes: packed)
        try folder.write("c.jsonl.gz", bytes: Array(packed.dropLast(8)))
        for name in ["a.jsonl.zst", "b.jsonl.gz", "c.jsonl.gz"] {
            let ending = try await convert("-q", "--force", name, "out.jsonl")
            #expect(ending.code == 1, "\(name): \(ending.messages)")
            #expect(ending.messages.contains("error[convert.incomplete]"), "\(name): \(ending.messages)")
            #expect(try self.text("out.jsonl") == text, "\(name)")
            let info = try await Program.run("info", name, folder: folder.path)
            #expect(info.code == 0 && info.results.contains("  messages     24\n"), "\(info)")
            #expect(info.results.contains("\(name) is damaged, or cut off: it cannot be unpacked"), "\(info)")
        }
        try folder.write("none.jsonl.gz", "no gzip")
        #expect(try await convert("none.jsonl.gz", "none.jsonl").code == 1)
        #expect(try await Program.run("info", "none.jsonl.gz", folder: folder.path).code == 1)
        // The end of one input does not end the others.
        _ = try await convert(session, "d.jsonl.gz", "--streams=pen/1")
        let whole = Array(try Data(contentsOf: URL(fileURLWithPath: "\(folder.path)/d.jsonl.gz")))
        try folder.write("d.jsonl.gz", bytes: Array(whole.dropLast(8)))
        _ = try await convert(session, "e.jsonl", "--streams=pen/2")
        let both = try await convert("d.jsonl.gz", "e.jsonl", "both.jsonl")
        #expect(both.code == 1 && both.messages.contains("16 frames written"), "\(both.messages)")
    }

    @Test("Recordings: with --kind, messages of other kinds are left out and counted; info counts them in any case")
    func otherKinds() async throws {
        let stroke = #"{"v":1,"kind":"stroke","stream":"s","seq":0,"t_us":1,"start_us":1,"fields":"xy","pts":[0,0]}"#
        let vector = #"{"v":1,"kind":"vector","stream":"v","seq":0,"t_us":2,"start_us":0,"values":[1]}"#
        try folder.write("a.jsonl", [vector, stroke, vector].joined(separator: "\n") + "\n")
        let strokes = try await convert("a.jsonl", "b.jsonl", "--kind=stroke")
        #expect(strokes.code == 0, "\(strokes.messages)")
        #expect(strokes.messages.contains("2 messages of kind vector left out"), "\(strokes.messages)")
        #expect(try text("b.jsonl") == stroke + "\n")
        // A word that is no kind remains an error, and so does another kind if none was chosen.
        try folder.write("c.jsonl", stroke + "\n" + vector.replacing("vector", with: "vektor") + "\n")
        #expect(try await convert("c.jsonl", "d.jsonl", "--kind=stroke").code == 1)
        #expect(try await convert("a.jsonl", "e.jsonl").code == 1)
        let info = try await Program.run("info", "a.jsonl", folder: folder.path)
        #expect(info.code == 0 && info.results.contains("  messages     2\n"), "\(info)")
        #expect(info.results.contains("  other kind   stroke, 1 message\n"), "\(info)")
        #expect(!info.results.contains("problem"), "\(info)")
    }

    @Test("Recordings: more channels than one file can have are refused with this reason")
    func channels() throws {
        var mapping = ChannelMapping(try Writer(FileOutput(path: "\(folder.path)/a.mcap")))
        for id in 0..<UInt16.max {
            let channel = Channel(id: id, schemaID: 0, topic: "\(id)", messageEncoding: "json")
            #expect(try mapping.number(of: id, in: 0, channel, nil) == id + 1)
        }
        let same = Channel(id: 7, schemaID: 0, topic: "0", messageEncoding: "json")
        #expect(try mapping.number(of: 7, in: 1, same, nil) == 1)
        let other = Channel(id: 8, schemaID: 0, topic: "other", messageEncoding: "json")
        #expect(throws: MCAPError(.misuse, "one file cannot have more than 65535 channels")) {
            try mapping.number(of: 8, in: 1, other, nil)
        }
    }

    @Test("Recordings: convert overwrites an existing file only with --force, and never its input")
    func existing() async throws {
        _ = try await convert(session, "a.mcap")
        #expect(try await convert(session, "a.mcap").code == 3)
        #expect(try await convert(session, "a.mcap", "--force").code == 0)
        let onto = try await convert("a.mcap", "a.mcap", "--force")
        #expect(onto.code == 2)
        #expect(onto.messages.contains("error: OUT would write over a.mcap, which is read"), "\(onto.messages)")
        #expect(try await convert(session).code == 2)
    }

    @Test("Recordings: with a placeholder in OUT, convert overwrites files only with --force, and never its input")
    func existingOfPattern() async throws {
        _ = try await convert(session, "pen-1.jsonl", "--streams=pen/1")
        let input = try text("pen-1.jsonl")
        for flags in [[], ["--force"]] {
            let onto = try await Program.shell(
                "exec \"$0\" convert pen-1.jsonl '{stream}.jsonl' \"$@\"", [try Program.path()] + flags,
                folder: folder.path)
            #expect(onto.code == 2)
            #expect(onto.messages.contains("OUT would write over pen-1.jsonl, which is read"), "\(onto.messages)")
            #expect(try text("pen-1.jsonl") == input)
        }
        try folder.write("x-pen-2.jsonl", "precious")
        let refused = try await convert(session, "x-{stream}.jsonl")
        #expect(refused.code == 3, "\(refused.messages)")
        #expect(refused.messages.contains("x-pen-2.jsonl is already there"), "\(refused.messages)")
        #expect(refused.messages.contains("--force") && !refused.messages.contains("if_exists"), "\(refused.messages)")
        #expect(try text("x-pen-2.jsonl") == "precious")
        #expect(try await convert(session, "x-{stream}.jsonl", "--force").code == 0)
        #expect(try text("x-pen-2.jsonl").contains("\"stream\":\"pen/2\""))
    }

    @Test("Recordings: with a placeholder in OUT, convert also divides MCAP into the files of its streams")
    func patternOfMCAP() async throws {
        _ = try await convert(session, "a.mcap", "--streams=pen/1,pen/2")
        let ending = try await convert("a.mcap", "of-{stream}.mcap")
        #expect(ending.code == 0, "\(ending.messages)")
        for number in 1...2 {
            let index = try IndexedReader(try FileInput(path: "\(folder.path)/of-pen-\(number).mcap"))
            #expect(index.channels.values.map(\.topic) == ["pen/\(number)"])
        }
        #expect(!FileManager.default.fileExists(atPath: "\(folder.path)/of-{stream}.mcap"))
    }

    @Test(
        "Recordings: a pipe is refused by what reads a recording several times, with the remedy",
        arguments: [
            ("info /dev/stdin", "--kind"), ("convert /dev/stdin a.jsonl", "--kind"),
            ("convert /dev/stdin a.mcap", "--kind"),
            ("draw /dev/stdin --out=a.svg", "file first"), ("replay /dev/stdin", "file first"),
            ("view /dev/stdin", "file first"), ("gestures import a.json /dev/stdin", "file first"),
        ])
    func pipes(words: String, remedy: String) async throws {
        let ending = try await Program.shell(
            "cat \"$1\" | \"$0\" \(words)", [try Program.path(), session], folder: folder.path)
        #expect(ending.code == 2, "\(ending)")
        let wanted = "error[recording.pipe]: /dev/stdin is a pipe or a device, which can be read only once"
        #expect(ending.messages.contains(wanted), "\(ending.messages)")
        #expect(ending.messages.contains(remedy), "\(ending.messages)")
    }

    @Test("Recordings: convert and info read a pipe whose kind is given, and nothing of it is missing")
    func pipesOfKnownKind() async throws {
        let ending = try await Program.shell(
            """
            cat "$1" | "$0" convert --kind=stroke /dev/stdin a.jsonl || exit $?
            cat "$1" | "$0" info --kind=stroke --format=json -
            """, [try Program.path(), session], folder: folder.path)
        #expect(ending.code == 0, "\(ending.messages)")
        #expect(try text("a.jsonl") == text(of: session))
        let count = try text(of: session).split(separator: "\n").count
        let list = try JSONSerialization.jsonObject(with: Data(ending.results.utf8)) as? [[String: Any]]
        #expect(list?.first?["messages"] as? Int == count)
    }

    @Test("Recordings: a pause of any length loses no frame")
    func pauses() async throws {
        let hour = 3_600_000_000
        let lines = [0, 2 * hour, 2 * hour + 1000, 9 * hour].enumerated().map { number, time in
            "{\"v\":1,\"kind\":\"stroke\",\"stream\":\"pen\",\"seq\":\(number),\"t_us\":\(time),"
                + "\"fields\":\"xyt\",\"pts\":[1,2,0,3,4,10],\"label\":\"line\"}\n"
        }
        try folder.write("a.jsonl", lines.joined())
        let converted = try await convert("a.jsonl", "b.jsonl")
        #expect(converted.messages.contains("4 frames written"), "\(converted.messages)")
        let info = try await Program.run("info", "a.jsonl", "--format=json", folder: folder.path)
        let list = try JSONSerialization.jsonObject(with: Data(info.results.utf8)) as? [[String: Any]]
        #expect(list?.first?["messages"] as? Int == 4)
        let imported = try await Program.run("gestures", "import", "lib.json", "a.jsonl", folder: folder.path)
        #expect(imported.code == 0, "\(imported.messages)")
        #expect(try GestureLibrary(readingFrom: "\(folder.path)/lib.json").gestures.map(\.samples.count) == [4])
    }

    @Test("Recordings: from a file without an index, earlier messages, attachments and metadata are copied as well")
    func wholeCopy() async throws {
        var options = WriterOptions()
        (options.chunkSize, options.summary, options.summaryOffsets) = (nil, [], false)
        let writer = try Writer(FileOutput(path: "\(folder.path)/a.mcap"), options)
        try writer.add(Metadata(name: "described", values: []))
        try writer.add(Channel(id: 1, schemaID: 0, topic: "pen", messageEncoding: "json"))
        for (number, seconds) in [10, 1, 20].enumerated() {
            let time = UInt64(seconds) * 1_000_000_000
            try writer.write(
                Message(channelID: 1, sequence: UInt32(number), logTime: time, publishTime: time, data: [0x7B, 0x7D]))
        }
        try writer.add(Attachment(logTime: 1, createTime: 1, name: "one", mediaType: "text/plain", data: [65]))
        try writer.finish()
        let ending = try await convert("a.mcap", "b.mcap")
        #expect(ending.messages.contains("3 messages written"), "\(ending.messages)")
        let index = try IndexedReader(try FileInput(path: "\(folder.path)/b.mcap"))
        #expect(index.statistics?.messageCount == 3)
        #expect(index.attachmentIndexes.map(\.name) == ["one"])
        #expect(index.metadataIndexes.map(\.name) == ["described"])
        // An indexed file has each of them once.
        _ = try await convert("b.mcap", "c.mcap")
        let copy = try IndexedReader(try FileInput(path: "\(folder.path)/c.mcap"))
        #expect(copy.attachmentIndexes.count == 1 && copy.metadataIndexes.count == 1)
        let later = try await convert("a.mcap", "d.mcap", "--start-offset=5s")
        #expect(later.messages.contains("1 message written"), "\(later.messages)")
    }

    @Test("Recordings: convert says how many frames an MCAP file has no channels for")
    func tooManyStreams() async throws {
        let lines = (0..<65_537).map { number in
            "{\"v\":1,\"kind\":\"stroke\",\"stream\":\"\(number)\",\"seq\":0,\"t_us\":\(number),"
                + "\"fields\":\"xyt\",\"pts\":[1,2,0,3,4,10]}\n"
        }
        try folder.write("a.jsonl", lines.joined())
        let ending = try await convert("a.jsonl", "a.mcap")
        #expect(ending.code == 1, "\(ending.messages)")
        let wanted = "2 frames could not be written, because a file cannot have more streams"
        #expect(ending.messages.contains(wanted), "\(ending.messages)")
    }

    @Test("Recordings: info suggests a pipeline for a file of messages of another shape, and this pipeline reads it")
    func suggestion() async throws {
        let hand = Array(repeating: #"{"x":0.5,"y":0.25,"z":0}"#, count: 21).joined(separator: ",")
        // As JavaScript's `JSON.stringify` writes MediaPipe's results.
        let lines = [33, 66].map {
            #"{"landmarks":[[\#(hand)]],"handedness":[[{"score":0.9,"categoryName":"Left"}]],"timestamp":\#($0)}"#
                + "\n"
        }
        try folder.write("web.jsonl", lines.joined())
        let info = try await Program.run("info", "web.jsonl", "--format=json", folder: folder.path)
        #expect(info.code == 1)
        let list = try JSONSerialization.jsonObject(with: Data(info.results.utf8)) as? [[String: Any]]
        let suggestion = try #require(list?.first?["suggestion"] as? String)
        try folder.write("web.yaml", suggestion)
        let run = try await Program.run("run", "web.yaml", "--log-level=error", folder: folder.path)
        #expect(run.code == 0, "\(suggestion)\(run)")
        #expect(run.results == "     0.033 s  file          1 hand, Left\n     0.066 s  file          1 hand, Left\n")
    }

    @Test("Recordings: info names the remedy for columns that no source reads")
    func infoRemedy() async throws {
        try folder.write("a.jsonl", #"{"ms":1,"xs":[1,3],"ys":[2,4]}"# + "\n" + #"{"ms":5,"xs":[1],"ys":[2]}"# + "\n")
        let info = try await Program.run("info", "a.jsonl", folder: folder.path)
        #expect(info.code == 1 && !info.results.contains("pipeline"), "\(info)")
        #expect(info.results.contains("\n  remedy       name the lists \"xs\" and \"ys\" x and y, "), "\(info)")
    }

    @Test("Recordings: info reports the same content for every format")
    func info() async throws {
        _ = try await convert(session, "a.mcap")
        _ = try await convert(session, "a.jsonl.gz")
        let lines = try String(contentsOfFile: session, encoding: .utf8).split(separator: "\n").count
        for file in ["a.mcap", "a.jsonl.gz", session] {
            let ending = try await Program.shell(
                "exec \"$0\" info --format=json \"$1\"", [try Program.path(), file], folder: folder.path)
            let list = try JSONSerialization.jsonObject(with: Data(ending.results.utf8)) as? [[String: Any]]
            let info = try #require(list?.first)
            #expect(info["messages"] as? Int == lines)
            let streams = try #require(info["streams"] as? [[String: Any]])
            #expect(streams.allSatisfy { $0["kind"] as? String == "stroke" })
            #expect(info["problem"] is NSNull)
        }
        let other = try await Program.shell("exec \"$0\" info \"$0\"", [try Program.path()], folder: folder.path)
        #expect(other.code != 0)
    }

    @Test("Recordings: info names the formats that the source chooses, and adds up the sizes of a folder's files")
    func formatsOfFiles() async throws {
        let nobody = #"{"version":1.3,"people":[]}"#
        for number in 1...2 { try folder.write("people/\(number)_keypoints.json", nobody) }
        try folder.write("my.csv.jsonl", #"{"v":1,"kind":"stroke","t_us":1,"fields":"xy","pts":[0,0]}"# + "\n")
        // Two files of 27 bytes, and one line of 59 bytes with its end.
        for (path, format) in [("people", "OpenPose JSON, 54 bytes"), ("my.csv.jsonl", "JSON Lines, 59 bytes")] {
            let ending = try await Program.run("info", path, folder: folder.path)
            #expect(ending.results.contains("  format       \(format)\n"), "\(ending)")
        }
    }

    @Test("Recordings: info names the file that it cannot read")
    func unreadableTable() async throws {
        try folder.write("good.csv", "sample_us,stream\n1,pen\n")
        try folder.write("nul.csv", "a,b\u{0}\n1,2\n")
        let ending = try await Program.run("info", "nul.csv", "good.csv", folder: folder.path)
        #expect(ending.code == 3)
        #expect(ending.messages.contains("nul.csv, byte 3: a NUL byte in text"), "\(ending.messages)")
    }

    @Test("Recordings: an error of one file does not hide the others from info, and decides the exit code")
    func infoOfSeveral() async throws {
        let line = #"{"v":1,"kind":"points","stream":"pen","t_us":1,"phase":"move","fields":"xy","pts":[0,0]}"#
        for name in ["a.jsonl", "b.jsonl"] { try folder.write(name, line + "\n") }
        let ending = try await Program.run("info", "a.jsonl", "none.jsonl", "b.jsonl", folder: folder.path)
        #expect(ending.code == 3 && ending.messages.contains("none.jsonl"), "\(ending)")
        #expect(ending.results.contains("a.jsonl") && ending.results.contains("b.jsonl"), "\(ending)")
    }

    @Test("Recordings: info says when a recording begins and ends, as a date if its times are dates")
    func infoTimes() async throws {
        func lines(_ micro: Int64) -> String {
            [micro, micro + 2_500_000].map {
                "{\"v\":1,\"kind\":\"points\",\"stream\":\"pen\",\"t_us\":\($0),\"phase\":\"move\",\"fields\":\"xy\",\"pts\":[0,0]}\n"
            }.joined()
        }
        try folder.write("relative.jsonl", lines(400_000))
        try folder.write("dated.jsonl", lines(1_700_000_000_000_000))
        let relative = try await Program.run("info", "relative.jsonl", folder: folder.path)
        #expect(
            relative.results.contains("  start        0.400000 s\n  end          2.900000 s\n  duration     2.5 s\n"),
            "\(relative)")
        let dated = try await Program.run("info", "dated.jsonl", folder: folder.path)
        #expect(
            dated.results.contains(
                "  start        2023-11-14T22:13:20.000Z\n  end          2023-11-14T22:13:22.500Z\n"), "\(dated)")
    }

    @Test("Recordings: an interrupt of convert is an error that says how much of the input was written")
    func interrupted() async throws {
        let ending = try await Program.shell(
            """
            mkfifo in.jsonl
            "$0" convert --kind=stroke in.jsonl out.csv &
            exec 3>in.jsonl
            kill -TERM $!
            wait $!
            echo $?
            """, [try Program.path()], folder: folder.path)
        #expect(ending.results == "3\n")
        #expect(
            ending.messages.contains(
                "error[run.interrupted]: interrupted: out.csv contains only the first 0 frames"), "\(ending.messages)")
    }

    @Test(
        "Recordings: a copy of MCAP that is stopped early is a complete file with the attachments and no later messages"
    )
    func stoppedCopy() async throws {
        let path = "\(folder.path)/a.mcap"
        _ = try await convert(session, "a.mcap")
        let stop = StopSignal()
        stop.request()
        let copied = try RecordingCopy([path], .init()).run(to: "\(folder.path)/b.mcap", .none, until: stop)
        let saved = try RecordingRecovery(path).run(to: "\(folder.path)/c.mcap", .none, until: stop)
        #expect(copied.messages == 0 && saved.messages == 0)
        let all = try IndexedReader(FileInput(path: path)).metadataIndexes.count
        let copy = try IndexedReader(FileInput(path: "\(folder.path)/b.mcap"))
        #expect(copy.statistics?.messageCount == 0 && copy.metadataIndexes.count == all)
    }

    @Test("Recordings: info says where the first damage of a recording is")
    func infoOfDamage() async throws {
        _ = try await convert(session, "a.msgpack")
        let bytes = try Data(contentsOf: URL(fileURLWithPath: "\(folder.path)/a.msgpack"))
        try bytes.dropLast(20).write(to: URL(fileURLWithPath: "\(folder.path)/cut.msgpack"))
        let cut = try await Program.run("info", "cut.msgpack", folder: folder.path)
        #expect(
            cut.results.contains("  problem      1 message could not be read: cut.msgpack, message 24, byte "), "\(cut)"
        )
        #expect(cut.results.contains("the message ends before the value does [decode.truncated]"), "\(cut)")
        try folder.write("a.jsonl", "[]\n" + text(of: session) + "{\n")
        let lines = try await Program.run("info", "a.jsonl", "--kind=stroke", folder: folder.path)
        #expect(
            lines.results.contains("2 messages could not be read; the first: a.jsonl, line 1, byte 0: "), "\(lines)")
    }

    private func text(of path: String) throws -> String { try String(contentsOfFile: path, encoding: .utf8) }

    @Test("Recordings: info lists each attachment once as data, also if a part of the index cannot be read")
    func attachments() async throws {
        let writer = try Writer(FileOutput(path: "\(folder.path)/a.mcap"))
        for name in ["one", "two"] {
            try writer.add(Attachment(logTime: 1, createTime: 1, name: name, mediaType: "text/plain", data: [65]))
        }
        try writer.add(Metadata(name: "described", values: []))
        try writer.finish()
        var bytes = Array(try Data(contentsOf: URL(fileURLWithPath: "\(folder.path)/a.mcap")))
        let name = try #require(bytes.firstRange(of: Array("described".utf8))).lowerBound
        // The type of the record, before two lengths. The record is unknown to a reader, and the index refers to it.
        bytes[name - 4 - 8 - 1] = 0x90
        try folder.write("b.mcap", bytes: bytes)
        for (file, metadata) in [("a.mcap", ["described"]), ("b.mcap", [])] {
            let ending = try await Program.run("info", "--format=json", file, folder: folder.path)
            let list = try JSONSerialization.jsonObject(with: Data(ending.results.utf8)) as? [[String: Any]]
            let notes = try #require(list?.first?["notes"] as? [[String: String]])
            func values(_ name: String) -> [String?] { notes.filter { $0["name"] == name }.map { $0["value"] } }
            #expect(values("attachment") == ["one, text/plain, 1 bytes", "two, text/plain, 1 bytes"], "\(notes)")
            #expect(values("metadata") == metadata)
        }
    }

    @Test("Recordings: info fails if nothing can be read, and if there is no file")
    func unreadable() async throws {
        _ = try folder.write("notes.jsonl", "these are\nno messages\n")
        #expect(try await Program.run("info", "notes.jsonl", folder: folder.path).code == 1)
        let missing = try await Program.run("info", "missing.mcap", folder: folder.path)
        #expect(missing.code == 3)
        #expect(missing.messages.contains("[file.not_found]"), "\(missing.messages)")
    }

    @Test("Recordings: MCAP is recognized by its content, and a name that implies no format is refused")
    func content() async throws {
        _ = try await convert(session, "a.mcap")
        let info = try await Program.run("info", "a.mcap", folder: folder.path).results
        try FileManager.default.copyItem(atPath: "\(folder.path)/a.mcap", toPath: "\(folder.path)/b.jsonl")
        #expect(
            try await Program.run("info", "b.jsonl", folder: folder.path).results
                == info.replacingOccurrences(of: "a.mcap", with: "b.jsonl"))
        #expect(try await convert("b.jsonl", "c.jsonl").code == 0)
        #expect(try await convert(session, "d.jsonl").code == 0)
        #expect(try folder.read("c.jsonl") == folder.read("d.jsonl"))
        let ending = try await convert(session, "a.xyz")
        #expect(ending.code == 2)
        #expect(ending.messages.contains("the ending .xyz names no format"), "\(ending.messages)")
        #expect(try await convert(session, "a.xyz", "--to=jsonl").code == 0)
        let run = try await Program.run(
            "run", "\(Repository.root)/Configs/strokes.yaml", "--record", "box.jsonl", folder: folder.path)
        #expect(run.code == 2)
        #expect(run.messages.contains("--record writes MCAP"), "\(run.messages)")
    }

    @Test(
        "Recordings: recover ends with 0 if it saves all messages, with 5 or 1 if it does not, and with 3 without a file"
    )
    func recover() async throws {
        _ = try await convert(session, "a.mcap", "--compression=none")
        func recover(_ from: String, _ to: String) async throws -> Program.Ending {
            try await Program.shell(
                "exec \"$0\" recover \"$1\" -o \"$2\"", [try Program.path(), from, to], folder: folder.path)
        }
        let whole = try await recover("a.mcap", "b.mcap")
        #expect(whole.code == 0)
        _ = try await convert("b.mcap", "b.jsonl")
        #expect(try text("b.jsonl") == String(contentsOfFile: session, encoding: .utf8))

        let file = URL(fileURLWithPath: "\(folder.path)/a.mcap")
        let bytes = try Data(contentsOf: file)
        // The file without its end, which contains the index and no messages.
        let index = try IndexedReader(try FileInput(path: file.path))
        try bytes.prefix(Int(index.footer.summaryStart) + 20).write(to: URL(fileURLWithPath: "\(folder.path)/c.mcap"))
        let rebuilt = try await recover("c.mcap", "d.mcap")
        #expect(rebuilt.code == 0)
        #expect(rebuilt.messages.contains("index was written again"))

        try bytes.prefix(Int(index.footer.summaryStart) - 40).write(to: URL(fileURLWithPath: "\(folder.path)/e.mcap"))
        let partly = try await recover("e.mcap", "f.mcap")
        #expect(partly.code == 5 || partly.code == 1, "\(partly.messages)")
        #expect(partly.messages.contains("byte"))

        try folder.write("g.mcap", "nothing of the kind\n")
        #expect(try await recover("g.mcap", "h.mcap").code == 1)
        #expect(!FileManager.default.fileExists(atPath: "\(folder.path)/h.mcap"))
        #expect(try await recover("none.mcap", "h.mcap").code == 3)
    }

    @Test(
        "Recordings: convert of a recording that is cut off writes the rest, says also with -q that the end is missing, and ends with 1",
        arguments: ["b.mcap", "b.jsonl"])
    func convertCutOff(_ output: String) async throws {
        _ = try await convert(session, "a.mcap", "--compression=none")
        let file = URL(fileURLWithPath: "\(folder.path)/a.mcap")
        let index = try IndexedReader(try FileInput(path: file.path))
        let bytes = try Data(contentsOf: file)
        try bytes.prefix(Int(index.footer.summaryStart) - 40).write(to: URL(fileURLWithPath: "\(folder.path)/cut.mcap"))
        let ending = try await convert("cut.mcap", output)
        #expect(ending.code == 1, "\(ending.messages)")
        #expect(ending.messages.contains("bytes"))
        let quiet = try await convert("-q", "--force", "cut.mcap", output)
        #expect(quiet.code == 1)
        #expect(quiet.messages.contains("error[convert.incomplete]"), "\(quiet.messages)")
    }

    @Test("Recordings: convert says also with -q that a line could not be read, and ends with 1")
    func convertDamagedLines() async throws {
        try folder.write("a.jsonl", try String(contentsOfFile: session, encoding: .utf8) + "{\n")
        let quiet = try await convert("-q", "a.jsonl", "b.jsonl")
        #expect(quiet.code == 1)
        #expect(quiet.messages.contains("error[convert.incomplete]: 1 message could not be read"), "\(quiet.messages)")
    }

    @Test(
        "Recordings: a verb for recordings that is given a gesture library says what it is and what reads it",
        arguments: [
            "info L", "replay L", "run --simulate L \(Repository.root)/Configs/live-strokes.yaml", "convert L c.jsonl",
        ])
    func library(_ words: String) async throws {
        for name in ["shapes.json", "hands.json"] {
            let library = "\(Repository.root)/Samples/\(name)"
            let ending = try await Program.shell(
                "exec \"$0\" \(words.replacing(" L", with: " \"$1\""))",
                [try Program.path(), library], folder: folder.path)
            #expect(ending.code == 3, "\(words): \(ending.messages)")
            #expect(
                ending.messages.contains("error[file.library]")
                    && ending.messages.contains("\(name) is a gesture library"))
            #expect(ending.messages.contains("pipectl gestures list"))
        }
    }

    @Test(
        "Recordings: a gesture library is recognized whatever the order of its keys, and a recording with such a key is read",
        arguments: [
            (#"{"gestures":[{"name":"a","samples":[]}],"version":1}"#, true),
            ("{\n  \"limits\" : { \"version\": 2 },\n  \"gestures\": [],\n  \"version\": 1\n}\n", true),
            ("\u{FEFF}{\"gestures\":[{\"name\":\"\\\"}\",\"samples\":[]}]}", true),
            (
                #"{"limits":{},"v":1,"kind":"points","t_us":1,"phase":"move","fields":"xy","pts":[0,0],"gestures":[]}"#,
                false
            ),
        ])
    func libraryKeys(text: String, isLibrary: Bool) async throws {
        try folder.write("a.json", text)
        let ending = try await Program.run("info", "a.json", folder: folder.path)
        #expect(ending.messages.contains("error[file.library]: a.json is a gesture library") == isLibrary, "\(ending)")
        #expect(ending.code == (isLibrary ? 3 : 0))
    }

    @Test(
        "Recordings: a verb that is given a JSON array, JSON over several lines or a pipeline says what it is, and the remedy",
        arguments: [
            ("a.json", "[{\"t_us\":1}]\n", "file.array", "jq -c '.[]' a.json > a.json.jsonl"),
            (
                "a.jsonl", "\u{FEFF}[\n  {\"t_us\":1},\n  {\"t_us\":2}\n]\n", "file.array",
                "jq -c '.[]' a.jsonl > a.jsonl.jsonl"
            ),
            (
                "a.jsonl", "{\n \"a\": 1,\n \"pts\": [\n  [1,2]\n ]\n}\n", "file.document",
                "jq -c . a.jsonl > a.jsonl.jsonl"
            ),
            ("a.yaml", "version: 1\nsources: [stdin]\n", "file.pipeline", "pipectl run a.yaml"),
        ])
    func notData(name: String, text: String, code: String, remedy: String) async throws {
        try folder.write(name, text)
        for words in [
            ["replay", name], ["view", name], ["convert", name, "c.mcap"], ["gestures", "import", "lib.json", name],
            ["draw", name, "-o", "a.svg"],
        ] {
            let ending = try await Program.shell(
                "exec \"$0\" \"$@\"", [try Program.path()] + words, folder: folder.path)
            #expect(ending.code == 3, "\(words): \(ending.messages)")
            #expect(ending.messages.contains("error[\(code)]: \(name) is "), "\(words): \(ending.messages)")
            #expect(ending.messages.contains(remedy), "\(words): \(ending.messages)")
        }
    }

    @Test("Recordings: record writes what is published, and reports the number of frames")
    func record() async throws {
        let recording = "\(Repository.root)/Samples/live.jsonl"
        let ending = try await Program.shell(
            "\"$0\" replay \"$1\" --to ipc://pen.sock --wait-for-subscribers=1 --rate=max & "
                + "\"$0\" record ipc://pen.sock --kind=stroke -o live.mcap --limit=100; code=$?; kill -INT $! 2> /dev/null; wait $!; exit $code",
            [try Program.path(), recording], folder: folder.path)
        #expect(ending.code == 0, "\(ending.messages)")
        #expect(ending.messages.contains("100 frames written to live.mcap"))
        let index = try IndexedReader(try FileInput(path: "\(folder.path)/live.mcap"))
        #expect(index.statistics?.messageCount == 100)
        // Log times are wall-clock times, and show when each message arrived.
        #expect(try #require(index.statistics).messageStartTime > 1_600_000_000_000_000_000)
    }

    @Test("Recordings: a killed recorder loses at most the last second, in twenty of twenty runs")
    func killed() async throws {
        // The sink of lines writes each frame when it arrives, so its last line shows when the recorder was killed.
        try folder.write(
            "live.yaml",
            """
            version: 1
            mode: live
            sources:
              - synthetic: { kind: points, draws: signatures, count: 0, rate: 1, streams: 4 }
            sinks:
              - file: { id: lines, path: "${NAME}.jsonl" }
              - file: { id: recording, path: "${NAME}.mcap" }

            """)
        let moments = (0..<20).map { _ in "\(Double.random(in: 1.2...3))" }
        _ = try await Program.shell(
            """
            number=0
            for moment in "$@"; do
                number=$((number + 1))
                (
                    NAME=$number "$0" run -q live.yaml & pid=$!
                    until [ -s $number.jsonl ] || ! kill -0 $pid; do sleep 0.05; done
                    sleep $moment
                    kill -KILL $pid
                    wait $pid
                ) 2> /dev/null &
                # With more recorders at once, they would wait for each other, and might lose more than a second.
                [ $((number % 4)) != 0 ] || wait
            done
            wait
            """, [try Program.path()] + moments, folder: folder.path)
        var kept = 0
        for number in 1...20 {
            let lines = try text("\(number).jsonl").split(separator: "\n").filter { $0.last == "}" }
            let times = try lines.map { line in
                try #require(line.firstMatch(of: /"recv_us":([0-9]+)/).flatMap { Int($0.1) })
            }
            let end = try #require(times.max())
            var reader = RecoveringReader(try FileInput(path: "\(folder.path)/\(number).mcap"))
            var saved: Set<Substring> = []
            while let record = try reader.next() {
                if case .message(let message) = record {
                    saved.insert(Substring(decoding: message.data, as: UTF8.self))
                }
            }
            let lost = zip(lines, times).filter { $1 < end - 1_000_000 && !saved.contains($0) }.count
            #expect(lost == 0, "killed after \(moments[number - 1]) s: \(lost) of \(lines.count)")
            kept += saved.count
        }
        #expect(kept > 0)
    }
}
