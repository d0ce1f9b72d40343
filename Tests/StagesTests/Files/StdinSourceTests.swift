import Foundation
import Pipeline
import PipelineTesting
import Testing

@testable import Connectors
@testable import Stages

@Suite("The stdin source")
struct StdinSourceTests {
    /// A source that reads a pipe instead of standard input.
    private final class Input: @unchecked Sendable {
        let source: LineSource<Stroke>
        private let readEnd: Int32
        private var writeEnd: Int32

        init(_ change: (inout StdinSource.Options) -> Void = { _ in }) throws {
            var ends: [Int32] = [-1, -1]
            try #require(pipe(&ends) == 0)
            (readEnd, writeEnd) = (ends[0], ends[1])
            var options = StdinSource.Options()
            change(&options)
            source = LineSource(options, descriptor: readEnd, name: "standard input", defaultStream: "stdin")
        }

        func write(_ text: String) { write(bytes: Array(text.utf8)) }

        func write(bytes: [UInt8]) {
            #expect(Foundation.write(writeEnd, bytes, bytes.count) == bytes.count)
        }

        func end() {
            close(writeEnd)
            writeEnd = -1
        }

        deinit {
            close(readEnd)
            if writeEnd >= 0 { close(writeEnd) }
        }
    }

    @Test("The stdin source reads to the end of the input")
    func wholeInput() async throws {
        let input = try Input()
        input.write("\(FileSourceTests.line(1))\n{\n\(FileSourceTests.line(2))")
        input.end()
        let reading = try await drain(input.source)
        #expect(reading.frames.map(\.timestamp.rawValue) == [1, 2])
        #expect(reading.failures.map(\.location) == ["standard input, line 2, byte 1"])
    }

    @Test("The stdin source counts a NUL byte as one bad line and reads on")
    func zero() async throws {
        let input = try Input()
        input.write("\0\(FileSourceTests.line(1))\n\(FileSourceTests.line(2))\n\0\n\(FileSourceTests.line(3))\n")
        input.end()
        let reading = try await drain(input.source)
        #expect(reading.frames.map(\.timestamp.rawValue) == [2, 3])
        #expect(reading.failures.map(\.location) == [1, 3].map { "standard input, line \($0), byte 0" })
    }

    @Test("The stdin source passes on the complete lines that have arrived before it waits for more")
    func promptness() async throws {
        let input = try Input()
        var source = input.source
        try await source.open(
            SourceContext(
                id: "stdin", clock: SkippingClock(), stop: StopSignal(), progress: Progress(), log: .silent))
        input.write("\(FileSourceTests.line(1))\n\(FileSourceTests.line(2))\n{\"half a line")
        var batch = SourceBatch<Stroke>(limit: 100)
        #expect(try await source.read(into: &batch))
        #expect(batch.items.count == 2)
        await source.close()
    }

    @Test(
        "The stdin source ends after a request to stop while it waits, although the input stays open",
        .timeLimit(.minutes(3)))
    func stop() async throws {
        let input = try Input()
        let stop = StopSignal()
        var source = input.source
        try await source.open(
            SourceContext(id: "stdin", clock: SkippingClock(), stop: stop, progress: Progress(), log: .silent))
        input.write("\(FileSourceTests.line(1))\n")
        var batch = SourceBatch<Stroke>()
        #expect(try await source.read(into: &batch))
        #expect(batch.items.count == 1)
        batch.removeAll()
        let asking = Task.detached { stop.request() }
        #expect(try await !source.read(into: &batch))
        #expect(batch.isEmpty)
        await asking.value
        await source.close()
    }

    @Test(
        "The stdin source reports a line that is too long before its end has arrived, and reads on after it",
        .timeLimit(.minutes(3)))
    func longLine() async throws {
        let input = try Input { $0.maxLineBytes = 1000 }
        var source = input.source
        try await source.open(
            SourceContext(
                id: "stdin", clock: SkippingClock(), stop: StopSignal(), progress: Progress(), log: .silent))
        input.write("\(FileSourceTests.line(1))\n{\"" + String(repeating: "z", count: 2000))
        var batch = SourceBatch<Stroke>()
        #expect(try await source.read(into: &batch))
        #expect(batch.items.count == 1)
        batch.removeAll()
        #expect(try await source.read(into: &batch))
        guard case .event(.failure(let error, _)) = batch.items.first else {
            Issue.record("\(batch.items)")
            return
        }
        #expect(error.code == "decode.line_too_long" && error.location == "standard input, line 2")
        batch.removeAll()
        input.write(String(repeating: "z", count: 2000) + "\"}\n\(FileSourceTests.line(3))\n{")
        #expect(try await source.read(into: &batch))
        #expect(batch.items.count == 1)
        batch.removeAll()
        input.end()
        #expect(try await source.read(into: &batch))
        guard case .event(.failure(let last, _)) = batch.items.first else {
            Issue.record("\(batch.items)")
            return
        }
        #expect(last.location == "standard input, line 4, byte 1")
        await source.close()
    }

    @Test("The stdin source reports a MessagePack document that is too long before its end, and reads on after it")
    func longDocument() async throws {
        let input = try Input {
            $0.maxLineBytes = 1000
            $0.decode.format = .msgpack
        }
        let long: [UInt8] = [0xDA, 0x10, 0x00] + [UInt8](repeating: 0x61, count: 4096)
        input.write(bytes: long + [0xC3, 0xC1, 0xC3])
        input.end()
        let reading = try await drain(input.source)
        #expect(
            reading.failures.map { "\($0.location ?? ""): \($0.code)" } == [
                "standard input, message 1: decode.line_too_long", "standard input, message 2, byte 0: decode.type",
                "standard input, message 3, byte 0: decode.syntax",
            ])
        #expect(reading.failures.last?.message.hasSuffix("cannot be read from byte 4100 on") == true)
    }

    @Test("The stdin source warns once, after a thousand messages, of a path of decode that no message has")
    func unusedPath() async throws {
        for count in [999, 2500] {
            let input = try Input {
                $0.decode.points = (try? [FieldPath("p")]) ?? []
                $0.decode.label = (try? [FieldPath("name")]) ?? []
                $0.decode.subject = (try? [FieldPath("who")]) ?? []
                $0.decode.missingTime = .receipt
            }
            let writing = Task.detached {
                for i in 0..<count { input.write(#"{"p":[[1,2],[3,4]]\#(i == 5 ? #","who":"ann""# : "")}"# + "\n") }
                input.end()
            }
            let reading = try await drain(input.source)
            await writing.value
            #expect(reading.frames.count == count)
            let words = count < 1000 ? "no message has" : "none of the first 1000 messages has"
            #expect(
                reading.log == ["test: \(words) \"name\", which decode gives as label"]
                    || reading.log == ["\(words) \"name\", which decode gives as label"])
        }
    }

    @Test("The stdin source with missing_time receipt stamps messages without a timestamp on receipt")
    func stamped() async throws {
        let input = try Input { $0.decode.missingTime = .receipt }
        input.write(#"{"fields":"xy","pts":[1,2]}"#)
        input.end()
        let clock = SkippingClock()
        let reading = try await drain(input.source, clock: clock)
        #expect(reading.frames.map(\.timestamp.rawValue) == [clock.now / 1000])
        #expect(reading.frames.first?.origin?.isStamped == true)
    }
}
