import Pipeline
import PipelineComponents
import PipelineTesting
import Synchronization
import Testing

@testable import Connectors
@testable import Stages

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

private final class SaidLines: Sendable { let list = Lock<[String]>([]) }

@Suite("Files that are appended to")
struct AppendedFileTests {
    let folder: TemporaryFolder
    private let log = SaidLines()

    init() throws { folder = try TemporaryFolder() }

    private func strokes(_ numbers: Range<Int64>) -> [Frame<Stroke>] {
        numbers.map { number in
            Frame(
                Stroke(samples: [Sample(x: Double(number) / 7, y: 0.5)], label: "label \(number * number)"),
                at: .microseconds(number), stream: "pen", sequence: number)
        }
    }

    /// Appends frames, and calls `written` after each.
    private func append<P: WireEncodable>(
        _ frames: [Frame<P>], to name: String, _ written: () throws -> Void = {}
    ) async throws {
        var options = FileSink.Options()
        options.path = OutputPath("\(folder.path)/\(name)")
        options.ifExists = .append
        var sink = FileWriter<P>(options)
        let said = log
        try await sink.open(
            SinkContext(
                id: "sink", clock: SkippingClock(), cancel: StopSignal(),
                log: Log { line in said.list.withLock { $0.append(line.text) } }))
        for frame in frames {
            try sink.write(frame)
            try sink.flush()
            try written()
        }
        try await sink.close()
    }

    private func bytes(_ name: String) throws -> [UInt8] {
        try WholeFile.read("\(folder.path)/\(name)", limit: 1 << 20)
    }

    @Test(
        "Appending: a file that was cut off anywhere keeps what was written, and new frames are readable behind it",
        arguments: ["a.jsonl.gz", "a.jsonl.zst", "a.msgpack.gz", "a.msgpack.zst", "a.msgpack", "a.csv.gz"])
    func cut(_ name: String) async throws {
        var sizes: [Int] = []
        try await append(strokes(0..<4), to: name) { sizes.append(try bytes(name).count) }
        try await append(strokes(4..<9), to: name) { sizes.append(try bytes(name).count) }
        let whole = try bytes(name)
        #expect(log.list.withLock { $0 } == [])
        for cut in Array(stride(from: 1, to: whole.count, by: 5)) + [whole.count] {
            let path = try folder.write(name, bytes: Array(whole[..<cut]))
            log.list.withLock { $0 = [] }
            try await append(strokes(100..<102), to: name)
            let reading = try await readStrokes(path)
            #expect(reading.failures.isEmpty, "cut at \(cut)")
            let kept = reading.frames.dropLast(2).map(\.sequence)
            #expect(kept == Array(0..<Int64(kept.count)))
            #expect(kept.count >= sizes.filter { $0 <= cut }.count, "cut at \(cut)")
            #expect(reading.frames.suffix(2).map(\.sequence) == [100, 101])
            let said = log.list.withLock { $0 }
            #expect(said.allSatisfy { $0.contains("\(path) was left unfinished") }, "\(said)")
            if cut == whole.count { #expect(kept.count == 9 && said == []) }
        }
    }

    @Test("Appending: a last line without a line feed in compressed data is ended first", arguments: ["gz", "zst"])
    func lineWithoutFeed(_ ending: String) async throws {
        let path = "\(folder.path)/a.jsonl.\(ending)"
        let file = try SystemCalls.openToWrite(path, O_WRONLY | O_CREAT).get()
        let packer = try CompressingWriter(try #require(FileCompression(path: path)))
        #expect(Array("cut off".utf8).withUnsafeBytes { packer.write($0, to: file) }.error == nil)
        #expect(packer.finish(file) == nil)
        SystemCalls.close(file)
        try await append(strokes(0..<3), to: "a.jsonl.\(ending)")
        let reading = try await readStrokes(path)
        #expect(reading.frames.map(\.sequence) == [0, 1, 2])
        #expect(reading.failures.count == 1)
    }

    @Test(
        "Appending: a file behind whose damage nothing could be read is refused and stays as it is",
        arguments: ["a.jsonl.gz", "a.jsonl.zst", "a.msgpack"])
    func damaged(_ name: String) async throws {
        try await append(strokes(0..<5), to: name)
        let place = try bytes(name).count
        try await append(strokes(5..<8), to: name)
        var damaged = try bytes(name)
        // Bytes that begin no compressed data, and one that begins no value of MessagePack.
        for offset in 0..<4 { damaged[place + offset] = name == "a.msgpack" ? 0xC1 : 0 }
        try folder.write(name, bytes: damaged)
        let error = await #expect(throws: PipelineError.self) { try await append(strokes(8..<9), to: name) }
        #expect(error?.code == "file.damaged")
        #expect(error?.category == .environment)
        #expect(try bytes(name) == damaged)
    }

    @Test(
        "Appending: frames of another kind are not appended to a table, and the error names both headers",
        arguments: ["a.csv", "a.csv.gz", "a.csv.zst"])
    func otherHeader(_ name: String) async throws {
        try await append(strokes(0..<2), to: name)
        let before = try bytes(name)
        let found = Recognition(
            categories: [.init(name: "circle", index: 0, score: 1)], margin: 0, matcher: "test")
        let error = await #expect(throws: PipelineError.self) {
            try await append([Frame(found, at: .zero, stream: "pen")], to: name)
        }
        #expect(error?.code == "file.append")
        #expect(error?.category == .environment)
        let message = error?.message ?? ""
        #expect(message.contains("stream,seq,t_us,stroke,x,y,sample_us,p,label,subject"))
        #expect(message.contains("those of kind recognition are \"stream,seq,t_us,"))
        #expect(try bytes(name) == before)
        try await append(strokes(2..<3), to: name)
        #expect(try await readStrokes("\(folder.path)/\(name)").frames.count == 3)
    }

    @Test(
        "XXH64: the digests are those of the reference implementation",
        arguments: [
            ("", 0xef46_db37_51d8_e999), ("abc", 0x44bc_2cf5_ad77_0999),
            ("Nobody inspects the spammish repetition", 0xfbce_a83c_8a37_8bf1),
        ] as [(String, UInt64)])
    func digest(text: String, digest: UInt64) {
        for size in [1, 5, 31, 32, 33, 64] {
            var hash = XXH64()
            var rest = Array(text.utf8)[...]
            while !rest.isEmpty {
                Array(rest.prefix(size)).withUnsafeBytes { hash.add($0) }
                rest = rest.dropFirst(size)
            }
            #expect(hash.digest == digest)
        }
    }
}
