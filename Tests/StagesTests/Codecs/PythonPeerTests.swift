import Foundation
import Pipeline
import PipelineTesting
import Testing

@testable import Connectors
@testable import Stages

private let python = ["/usr/bin/python3", "/usr/local/bin/python3", "/opt/homebrew/bin/python3"]
    .first { FileManager.default.isExecutableFile(atPath: $0) }

@Suite("Python's json module", .enabled(if: python != nil, "no python3"))
struct PythonPeerTests {
    /// Runs a script with the given arguments.
    private func run(_ script: String, _ arguments: [String]) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: python ?? "")
        process.arguments = ["-c", script] + arguments
        try process.run()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
    }

    @Test("Python's json module reads from our lines exactly the numbers and strings that were written")
    func readsOurs() throws {
        let folder = try TemporaryFolder()
        var generator = PayloadGenerator(seed: 31)
        let frames = (0..<200).map { _ in generator.frame(generator.vector()) }
        let lines = try frames.map { try encode($0) }
        try folder.write("in", lines.joined(separator: "\n"))
        try run(
            """
            import json, sys
            with open(sys.argv[2], "w") as out:
                for line in open(sys.argv[1], encoding="utf-8", newline="\\n"):
                    o = json.loads(line)
                    out.write(" ".join(float(v).hex() for v in o["values"]) + "\\t" + o["stream"].encode().hex() + "\\n")
            """, ["\(folder.path)/in", "\(folder.path)/out"])
        let read = try folder.read("out").split(separator: "\n", omittingEmptySubsequences: false)
        for (frame, line) in zip(frames, read) {
            let parts = line.split(separator: "\t", omittingEmptySubsequences: false)
            let numbers = parts[0].split(separator: " ").map { Double($0) }
            let isSame = numbers.map { $0?.bitPattern } == frame.payload.values.map(\.bitPattern)
            #expect(isSame, "\(line)")
            let name = frame.stream.name.utf8.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
            #expect(parts[1] == name)
        }
        #expect(read.count == frames.count + 1)
    }

    @Test("Lines written by Python's json module are read as the same frames")
    func writesOurs() throws {
        let folder = try TemporaryFolder()
        var generator = PayloadGenerator(seed: 32)
        let frames = (0..<200).map { _ in generator.frame(generator.recognition()) }
        try folder.write("in", try frames.map { try encode($0) }.joined(separator: "\n"))
        try run(
            """
            import json, sys
            with open(sys.argv[2], "w") as out:
                for i, line in enumerate(open(sys.argv[1], encoding="utf-8", newline="\\n")):
                    o = json.loads(line)
                    out.write(json.dumps(dict(reversed(o.items())), ensure_ascii=i % 2 == 0, allow_nan=False) + "\\n")
            """, ["\(folder.path)/in", "\(folder.path)/out"])
        let lines = try folder.read("out").split(separator: "\n")
        #expect(lines.count == frames.count)
        for (frame, line) in zip(frames, lines) {
            #expect(try decode(Recognition.self, line).frame == frame)
        }
    }
}
