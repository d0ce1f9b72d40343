import Foundation
import Pipeline
import PipelineComponents
import PipelineTesting
import Testing

@testable import Connectors
@testable import Stages

/// Linux has a device that is always full.
private let hasFullDevice = FileManager.default.fileExists(atPath: "/dev/full")

@Suite("Files that cannot be written to their end")
struct FullDiskTests {
    private func strokes(_ count: Int) -> [Frame<Stroke>] {
        (0..<count).map { index in
            Frame(
                Stroke(samples: [Sample(x: Double(index), y: 0.5)]), at: .microseconds(Int64(index)), stream: "pen",
                sequence: Int64(index))
        }
    }

    private func record(
        _ count: Int, to path: String, _ format: FileSink.Format = .jsonl, onError: ErrorPolicy = .fail
    ) async -> RunReport {
        var options = FileSink.Options()
        options.path = OutputPath(path)
        options.format = format
        options.ifExists = .overwrite
        var plan = Plan.building()
        plan.add("in", source: FramesSource(strokes(count)))
        plan.add("out", sink: FileWriter<Stroke>(options), onError: onError)
        return await Run(plan).finished()
    }

    @Test(
        "Full disks: no frame counts as written on a full disk", .enabled(if: hasFullDevice, "there is no /dev/full"),
        arguments: FileSink.Format.allCases, [3, 5000])
    func fullDevice(format: FileSink.Format, count: Int) async {
        let report = await record(count, to: "/dev/full", format)
        #expect(report.failures.first?.error.code == "file.unwritable")
        let node = report.ledger.nodes.first { $0.id == "out" }
        #expect(node?.passed == 0)
        #expect((node?.failed ?? 0) > 0)
        #expect(node?.received == node.map { $0.failed + $0.droppedTotal })
        #expect(report.violations == [])
        let skipped = await record(count, to: "/dev/full", format, onError: .skip)
        #expect(skipped.isSuccess)
        #expect(skipped.ledger.nodes.first { $0.id == "out" }?.failed == Int64(count))
    }

    @Test(
        "Full disks: a full disk has only whole frames, and nothing of the frame that did not fit",
        arguments: TextFormat.allCases,
        [0, 1, 40, 777, 1000])
    func wholeFrames(format: TextFormat, limit: Int) throws {
        let disk = SmallDisk(limit: limit)
        var text = FrameText<Stroke>(format)
        for frame in strokes(100) { try text.add(frame) }
        #expect(throws: SystemError.self) { try disk.empty(&text) }
        let written = 100 - text.count
        var whole = FrameText<Stroke>(format)
        for frame in strokes(written) { try whole.add(frame) }
        #expect(disk.bytes == whole.buffer.bytes)
        #expect(disk.bytes.count <= limit)
        // The frames that are still in the buffer are written unchanged when there is room again.
        disk.limit = .max
        try disk.empty(&text)
        for frame in strokes(100).dropFirst(written) { try whole.add(frame) }
        #expect(disk.bytes == whole.buffer.bytes)
    }

    @Test("Full disks: a header of a table that could not be written is written when there is room again")
    func header() throws {
        let disk = SmallDisk(limit: 5)
        var text = FrameText<Stroke>(.csv)
        try text.add(strokes(1)[0])
        #expect(throws: SystemError.self) { try disk.empty(&text) }
        text.discard()
        disk.limit = .max
        try text.add(strokes(2)[1])
        try disk.empty(&text)
        let lines = String(decoding: disk.bytes, as: UTF8.self).split(separator: "\n")
        #expect(lines.count == 2)
        #expect(lines.first?.hasPrefix("stream,seq,t_us,") == true)
        #expect(lines.last?.hasPrefix("pen,1,1,") == true)
    }

    @Test("A file whose compression has failed takes nothing more, and says so each time")
    func failedCompression() throws {
        let folder = try TemporaryFolder()
        let descriptor = try SystemCalls.openToWrite("\(folder.path)/a.gz", O_WRONLY | O_CREAT).get()
        defer { SystemCalls.close(descriptor) }
        let writer = try CompressingWriter(.gzip)
        #expect(Array("abc".utf8).withUnsafeBytes { writer.write($0, to: descriptor).count } == 3)
        #expect(writer.finish(descriptor) == nil)
        // zlib refuses data after the end.
        for _ in 0..<2 {
            let (count, error) = Array("abc".utf8).withUnsafeBytes { writer.write($0, to: descriptor) }
            #expect(count == 0 && error?.number == EIO)
        }
    }

    @Test(
        "Full disks: a compressed file goes on when there is room again, without the frames that did not fit",
        arguments: ["gz", "zst"], [0, 1, 30, 200, 500])
    func compressed(ending: String, limit: Int) async throws {
        let disk = SmallDisk(limit: limit)
        let writer = try CompressingWriter(
            try #require(FileCompression(path: "a.\(ending)")), writing: { disk.put($1) },
            takingBack: { count, _ in disk.takeBack(count) })
        var text = FrameText<Stroke>(.jsonl)
        var written: [Int64] = []
        for frame in strokes(100) {
            if frame.sequence == 50 { disk.limit = .max }
            // The disk is full once more for a while, at another place in the compressed data.
            if frame.sequence == 70 { disk.limit = disk.bytes.count + limit / 4 }
            if frame.sequence == 90 { disk.limit = .max }
            try text.add(frame)
            do {
                try text.empty(writing: { writer.write($0, to: -1) }, takingBack: { _ in false })
                written.append(frame.sequence)
            } catch {
                #expect(error.number == ENOSPC && text.count == 1)
                text.discard()
            }
        }
        #expect(writer.finish(-1) == nil)
        #expect(written.count < 80)
        #expect(Set<Int64>(50..<70).union(90..<100).isSubset(of: written))
        let folder = try TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        let reading = try await readStrokes(try folder.write("a.jsonl.\(ending)", bytes: disk.bytes))
        #expect(reading.failures.isEmpty)
        #expect(reading.frames.map(\.sequence) == written)
    }

    @Test("Full disks: on a pipe, the rest of a frame that was cut off is written before the next frame")
    func pipe() throws {
        let disk = SmallDisk(limit: 10, isPipe: true)
        var text = FrameText<Stroke>(.jsonl)
        try text.add(strokes(1)[0])
        let line = text.buffer.bytes
        #expect(throws: SystemError.self) { try disk.empty(&text) }
        text.discard()
        #expect(text.count == 0)
        disk.limit = 12
        try text.add(strokes(1)[0])
        #expect(throws: SystemError.self) { try disk.empty(&text) }
        #expect(text.count == 1)
        disk.limit = .max
        try disk.empty(&text)
        #expect(disk.bytes == line + line)
    }
}

/// A disk that holds a limited number of bytes, and the data written to it.
private final class SmallDisk {
    private(set) var bytes: [UInt8] = []
    var limit: Int
    private let isPipe: Bool

    init(limit: Int, isPipe: Bool = false) { (self.limit, self.isPipe) = (limit, isPipe) }

    func put(_ new: UnsafeRawBufferPointer) -> (count: Int, error: SystemError?) {
        let count = min(new.count, max(0, limit - bytes.count))
        bytes += new.prefix(count)
        return (count, count < new.count ? SystemError(number: ENOSPC) : nil)
    }

    func takeBack(_ count: Int) -> Bool {
        guard !isPipe else { return false }
        bytes.removeLast(count)
        return true
    }

    func empty<P>(_ text: inout FrameText<P>) throws {
        try text.empty(writing: { put($0) }, takingBack: { takeBack($0) })
    }
}
