import Foundation
import MCAP
import PipelineTesting
import Testing

@testable import PipelineCommand

@Suite("record: split files, recording from memory, full disks")
struct RecordTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try folder.write("live.yaml", Self.live(count: 3000))
        try folder.write("endless.yaml", Self.live(count: 0))
    }

    private static func live(count: Int) -> String {
        """
        version: 1
        mode: live
        sources:
          - synthetic: { id: pen, kind: stroke, rate: 1000, count: \(count), points: 64 }
        sinks:
          - stdout

        """
    }

    private func messages(_ name: String) throws -> [UInt32] {
        var cursor = try IndexedReader(try FileInput(path: "\(folder.path)/\(name)")).messages()
        var numbers: [UInt32] = []
        while let message = try cursor.next() { numbers.append(message.sequence) }
        return numbers
    }

    @Test(
        "pipectl record: a new file begins when the last one is large enough, and together the files contain every frame once"
    )
    func split() async throws {
        let ending = try await Program.run(
            "record", "live.yaml", "-o", "s.mcap", "--compression=none", "--split-size=600kB", folder: folder.path)
        #expect(ending.code == 0, "\(ending.messages)")
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".mcap") }
            .sorted()
        #expect(files.count > 2)
        #expect(files.first == "s-001.mcap")
        #expect(ending.messages.contains("3,000 frames written to \(files.joined(separator: ", "))"))
        #expect(try files.flatMap { try messages($0) } == Array(0..<3000))
        for file in files.dropLast() {
            let size = try #require(
                try FileManager.default.attributesOfItem(atPath: "\(folder.path)/\(file)")[.size] as? Int)
            #expect((500_000...700_000).contains(size))
        }
    }

    @Test("pipectl record: a part that is already there is refused before the start, and overwritten only with --force")
    func splitBesideOthers() async throws {
        try folder.write("s-002.mcap", "precious")
        func record(_ out: String, _ flags: String...) async throws -> Program.Ending {
            try await Program.shell(
                "exec \"$0\" record live.yaml --limit=5 --split-size=1GB -o \"$@\"",
                [try Program.path(), out] + flags, folder: folder.path)
        }
        let refused = try await record("s.mcap")
        #expect(refused.code == 3, "\(refused.messages)")
        #expect(refused.messages.contains("s-002.mcap is already there"), "\(refused.messages)")
        #expect(refused.messages.contains("--force") && !refused.messages.contains("if_exists"), "\(refused.messages)")
        #expect(try folder.read("s-002.mcap") == "precious")
        #expect(!FileManager.default.fileExists(atPath: "\(folder.path)/s-001.mcap"))
        let forced = try await record("s.mcap", "--force")
        #expect(forced.code == 0, "\(forced.messages)")
        #expect(forced.messages.contains("5 frames written to s-001.mcap\n"), "\(forced.messages)")
        // The parts of other recordings have other names.
        for name in ["t-x-001.mcap", "t-1.mcap", "t-0001.mcap"] { try folder.write(name, "") }
        #expect(try await record("t.mcap").code == 0)
    }

    @Test("pipectl record: frames kept in memory are written at every SIGUSR1, and at the end")
    func last() async throws {
        let ending = try await Program.shell(
            """
            "$0" record endless.yaml -o fall.mcap --last=60s 2> said & pid=$!
            until grep -q "kill -USR1 $pid" said; do sleep 0.05; done
            kill -USR1 $pid
            until grep -q "written to fall.mcap" said; do sleep 0.05; done
            kill -INT $pid; wait $pid; code=$?; cat said >&2; exit $code
            """, [try Program.path()], folder: folder.path)
        #expect(ending.code == 0, "\(ending.messages)")
        let (first, second) = try (messages("fall.mcap"), messages("fall-2.mcap"))
        #expect(second.count >= first.count && second.count > 0)
        #expect(Array(second.prefix(first.count)) == first)
    }

    @Test("pipectl record --last: a file that is already there stays, and the next free number is taken")
    func lastBesideOthers() async throws {
        try folder.write("fall-2.mcap", "precious")
        let ending = try await Program.shell(
            """
            "$0" record endless.yaml -o fall.mcap --last=60s 2> said & pid=$!
            until grep -q "kill -USR1 $pid" said; do sleep 0.05; done
            kill -USR1 $pid
            until grep -q "written to fall.mcap" said; do sleep 0.05; done
            kill -INT $pid; wait $pid; code=$?; cat said >&2; exit $code
            """, [try Program.path()], folder: folder.path)
        #expect(ending.code == 0, "\(ending.messages)")
        #expect(try folder.read("fall-2.mcap") == "precious")
        #expect(try !messages("fall-3.mcap").isEmpty)
    }

    @Test("pipectl record --last: if the file of one source cannot be written, those of the others are")
    func lastOfSeveral() async throws {
        try folder.write(
            "two.yaml",
            Self.live(count: 5).replacing(
                "sinks:", with: "  - synthetic: { id: pad, kind: stroke, rate: 1000, count: 5, points: 64 }\nsinks:"))
        try FileManager.default.createDirectory(
            atPath: "\(folder.path)/fall-pen.mcap", withIntermediateDirectories: false)
        let ending = try await Program.run(
            "record", "two.yaml", "-o", "fall.mcap", "--last=60s", "--force", folder: folder.path)
        #expect(ending.code == 3, "\(ending.messages)")
        #expect(ending.messages.contains("error[file.unwritable]: fall-pen.mcap"), "\(ending.messages)")
        #expect(ending.messages.contains("5 frames written to fall-pad.mcap"), "\(ending.messages)")
        #expect(try messages("fall-pad.mcap").count == 5)
    }

    @Test(
        "pipectl record: a flag that has no effect on a pipeline or on an endpoint is refused",
        arguments: [
            ("live.yaml", "--pull"), ("live.yaml", "--bind"), ("live.yaml", "--kind=stroke"),
            ("ipc://nobody.sock", "--set=pen.count=3"),
        ])
    func useless(source: String, flag: String) async throws {
        let ending = try await Program.run("record", source, "-o", "a.mcap", flag, folder: folder.path)
        let name = flag.split(separator: "=")[0]
        #expect(ending.code == 2, "\(ending)")
        #expect(ending.messages.contains("\(name) has an effect only on"), "\(ending.messages)")
        #expect(ending.messages.contains("leave it out"), "\(ending.messages)")
    }

    @Test("pipectl record: an address without tcp:// is an endpoint, and the help completes it")
    func addressWithoutTransport() async {
        let ending = await pipectl("record", "127.0.0.1:43399", "--kind=stroke", "-o", "\(folder.path)/a.mcap")
        #expect(ending.code == .configuration && ending.messages.contains("= help: write tcp://127.0.0.1:43399\n"))
    }

    @Test("pipectl record: without a frame, no file is named that does not exist")
    func nothingArrived() async throws {
        let ending = try await Program.run(
            "record", "ipc://nobody.sock", "--bind", "--kind=stroke", "-o", "none.jsonl", "--duration=0.01",
            folder: folder.path)
        let exists = FileManager.default.fileExists(atPath: "\(folder.path)/none.jsonl")
        #expect(ending.messages.contains("none.jsonl") == exists, "\(ending.messages)")
        #expect(ending.messages.contains("0 frames written"), "\(ending.messages)")
    }

    @Test(
        "pipectl record: a size has its unit, and a thousand bytes are kB or KB",
        arguments: [("30kB", true), ("30KB", true), ("30Kb", false), ("30", false)])
    func sizes(size: String, isRead: Bool) async {
        // Without an output in MCAP, a size that could be read is refused in other words.
        let ending = await pipectl("record", "\(folder.path)/live.yaml", "-o", "a.jsonl", "--split-size=\(size)")
        #expect(ending.messages.contains("a size with its unit") != isRead, "\(ending.messages)")
    }

    @Test("pipectl record: only MCAP is split or kept in memory")
    func refused() async throws {
        for flags in [["--split-size=1MB"], ["--last=3s"]] {
            let ending = await pipectl(["record", "\(folder.path)/live.yaml", "-o", "a.jsonl"] + flags)
            #expect(ending.code == .configuration)
        }
        let both = await pipectl(
            "record", "\(folder.path)/live.yaml", "-o", "a.mcap", "--last=3s", "--split-duration=1s")
        #expect(both.code == .configuration)
    }

    @Test(
        "pipectl record: on a full disk, recording ends with an error, and all frames that count as written can be read"
    )
    func fullDisk() async throws {
        let ending = try await Program.shell(
            """
            mkdir disk; unshare -rm sh -c 'mount -t tmpfs -o size=700k tmpfs disk 2> /dev/null || exit 77
            "$0" record live.yaml -o disk/a.mcap --compression=none; code=$?
            "$0" recover -q disk/a.mcap -o saved.mcap || exit 78
            exit $code' "$0" || exit $?
            """, [try Program.path()], folder: folder.path)
        // Without the permission to mount, nothing can be checked.
        if ending.code == 77 || ending.messages.contains("unshare") { return }
        #expect(ending.code == 3, "\(ending.messages)")
        #expect(ending.messages.contains("No space left on device"))
        let saved = try messages("saved.mcap")
        #expect(!saved.isEmpty && saved.count < 3000)
        #expect(saved == Array(0..<UInt32(saved.count)))
        let grouped = ProgressBar.grouped(Int64(saved.count))
        #expect(ending.messages.contains("\(grouped) frames written to disk/a.mcap"), "\(ending.messages)")
        #expect(ending.messages.contains("could not be written"))
    }
}
