import Foundation
import PipelineTesting
import Testing

@Suite("Files that are named after what is in them")
struct PatternFilesTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func run(_ path: String, source: String = "synthetic: { count: 12, streams: 3 }") async throws
        -> Program.Ending
    {
        try folder.write(
            "split.yaml",
            """
            version: 1
            sources:
              - \(source)
            sinks:
              - file: { id: out, path: "\(path)" }

            """)
        return try await Program.run("run", "-q", "split.yaml", folder: folder.path)
    }

    private var names: [String] {
        get throws {
            try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0 != "split.yaml" }.sorted()
        }
    }

    @Test(
        "Path patterns of file sinks: a file is written for each stream, in every format",
        arguments: ["jsonl", "csv", "msgpack", "mcap", "jsonl.gz"])
    func streams(ending: String) async throws {
        #expect(try await run("of-{stream}.\(ending)").code == 0)
        #expect(try names == (1...3).map { "of-pen-\($0).\(ending)" })
        guard ending != "csv" else { return }
        for number in 1...3 {
            let info = try await Program.run("info", "--format=json", "of-pen-\(number).\(ending)", folder: folder.path)
            #expect(info.code == 0, "\(info.messages)")
            #expect(info.results.contains("pen/\(number)"))
            for other in 1...3 where other != number { #expect(!info.results.contains("pen/\(other)")) }
        }
    }

    @Test("Path patterns of file sinks: a file name can contain the day of writing")
    func date() async throws {
        let format = DateFormatter()
        format.timeZone = TimeZone(identifier: "UTC")
        format.locale = Locale(identifier: "en_US_POSIX")
        format.dateFormat = "yyyy-MM-dd"
        let before = format.string(from: Date())
        #expect(try await run("{date}.jsonl").code == 0)
        let after = format.string(from: Date())
        #expect(try names == ["\(before).jsonl"] || names == ["\(after).jsonl"])
    }

    @Test("Path patterns of file sinks: the name of a stream cannot lead to another folder or hide a file")
    func hostile() async throws {
        try folder.write(
            "in/strokes.txt",
            ["../../up", "/etc/x", ".hidden", "", "a b\\u0000c", String(repeating: "long", count: 100)].enumerated().map
            {
                "{\"v\":1,\"kind\":\"stroke\",\"stream\":\"\($1)\",\"seq\":0,\"t_us\":\($0),\"fields\":\"xyt\",\"pts\":[1,2,0,3,4,10]}\n"
            }.joined())
        let ending = try await run(
            "x/{stream}.jsonl", source: "file: { path: in/strokes.txt, kind: stroke, format: jsonl }")
        #expect(ending.code == 3)
        #expect(ending.messages.contains("x/-.-..-up.jsonl cannot be written"))
        try FileManager.default.createDirectory(atPath: "\(folder.path)/x", withIntermediateDirectories: false)
        let again = try await Program.run("run", "-q", "split.yaml", folder: folder.path)
        #expect(again.code == 0, "\(again.messages)")
        let names = try FileManager.default.contentsOfDirectory(atPath: "\(folder.path)/x").sorted()
        #expect(names.count == 6)
        let expected = ["-.-..-up.jsonl", "-etc-x.jsonl", "-hidden.jsonl", "-.jsonl", "a-b-c.jsonl"]
        #expect(Set(names).isSuperset(of: expected), "\(names)")
        #expect(names.allSatisfy { !$0.hasPrefix(".") && $0.utf8.count < 200 })
    }

    @Test(
        "Path patterns of file sinks: an input is never overwritten, and a wrong placeholder is refused, and the right one is suggested"
    )
    func refused() async throws {
        try folder.write("a.jsonl", "")
        let over = try await run("{stream}.jsonl", source: "file: { path: a.jsonl, kind: stroke }")
        #expect(over.code == 2)
        #expect(over.messages.contains("output.overwrites_input"))
        let wrong = try await run("{steam}.csv")
        #expect(wrong.code == 2)
        #expect(wrong.messages.contains("{steam} is not a placeholder"))
        #expect(wrong.messages.contains("stream"))
        #expect(try await run("{Stream}.csv").messages.contains("{Stream} is not a placeholder"))
        let none = try await run("{file}.csv")
        #expect(none.code != 0)
        #expect(none.messages.contains("file.no_file"))
    }

    @Test("Path patterns of file sinks: a run with more streams than files that may be open fails after 500 files")
    func many() async throws {
        let ending = try await run("{stream}.csv", source: "synthetic: { count: 510, streams: 510 }")
        #expect(ending.code != 0)
        #expect(ending.messages.contains("more than 500 open files"))
        #expect(try names.count == 500)
    }
}
