import PipelineTesting
import Testing

@testable import Pipeline

@Suite("A recognizer that gives results at once")
struct RecognizerCalledTests {
    @Test(
        "Recognizer: in mode single, every frame is its own stream: its state is fresh, and its result includes held-back output"
    )
    func single() throws {
        let sums = try NumberRecognizer.called(.single, AddUp())
        for _ in 0..<3 { #expect(try sums.recognize(5).values == [5]) }
        let held = try NumberRecognizer.called(.single, GiveLater())
        #expect(try held.recognize(7).values == [7])
    }

    @Test("Recognizer: in mode batch, a stream keeps its state, and streams do not affect each other")
    func batch() throws {
        let sums = try NumberRecognizer.called(.batch, AddUp())
        var totals: [String: [Int]] = [:]
        for time in 1...4 {
            for (stream, value) in [("a", 1), ("b", 10)] {
                let result = try sums.recognize(
                    TestNumber(value), timestampMilliseconds: Int64(time), stream: StreamID(stream))
                totals[stream, default: []] += result.values
                #expect(result.timestamp == .milliseconds(Int64(time)))
                #expect(result.stream == StreamID(stream))
            }
        }
        #expect(totals == ["a": [1, 2, 3, 4], "b": [10, 20, 30, 40]])
    }

    @Test("Recognizer: in mode batch, streams beyond max_streams are forgotten, the least recently used first")
    func manyStreams() throws {
        var plan = Plan.building()
        plan.maxStreams = 2
        plan.add("in", source: FramesSource<TestNumber>([]))
        plan.add("sums", stage: AddUp())
        var options = NumberRecognizer.Options()
        options.runningMode = .batch
        let sums = try NumberRecognizer(plan, options: options)
        func sum(_ stream: StreamID, at time: Int64) throws -> [Int] {
            try sums.recognize(TestNumber(1), timestampMilliseconds: time, stream: stream).values
        }
        #expect(try sum("a", at: 10) == [1])
        #expect(try sum("b", at: 10) == [1])
        #expect(try sum("a", at: 20) == [2])
        #expect(try sum("c", at: 10) == [1])
        #expect(throws: PipelineError.self) { try sum("a", at: 5) }
        #expect(try sum("b", at: 5) == [1], "b was forgotten, so it begins anew")
    }

    @Test(
        "Recognizer: a result has all output up to its timestamp; finish() returns the rest, and time may then start over"
    )
    func upToItsTime() throws {
        let later = try NumberRecognizer.called(.batch, GiveLater())
        #expect(try later.recognize(1, timestampMilliseconds: 0).values == [])
        #expect(try later.recognize(2, timestampMilliseconds: 5).values == [])
        let third = try later.recognize(3, timestampMilliseconds: 20)
        #expect(third.values == [2])
        #expect(third.frames.map(\.timestamp) == [.milliseconds(15)])
        #expect(try later.finish().map(\.payload.value) == [3])
        #expect(try later.recognize(4, timestampMilliseconds: 0).values == [])
        #expect(try later.finish().map(\.payload.value) == [4])
    }

    @Test("Recognizer: a timestamp can be given in milliseconds or in microseconds")
    func units() throws {
        let echo = try NumberRecognizer.called(.batch)
        #expect(try echo.recognize(1, timestampMilliseconds: 3).frames.map(\.timestamp.rawValue) == [3000])
        #expect(try echo.recognize(1, timestampMicroseconds: 3001).frames.map(\.timestamp.rawValue) == [3001])
    }

    @Test("Recognizer: all output of one frame arrives, even more than any queue holds")
    func many() throws {
        struct Thousands: Stage {
            mutating func process(
                _ number: TestNumber, _ header: borrowing Header, into emitter: borrowing Emitter<TestNumber>
            ) {
                for value in 0..<10_000 { emitter.emit(TestNumber(value)) }
            }
        }
        for mode in [RunningMode.single, .batch] {
            let thousands = try NumberRecognizer.called(mode, Thousands())
            let result =
                mode == .single
                ? try thousands.recognize(1) : try thousands.recognize(1, timestampMilliseconds: 1)
            #expect(result.values == Array(0..<10_000))
        }
    }

    @Test(
        "Recognizer: a refused frame is thrown, and the next one is processed", arguments: [RunningMode.single, .batch])
    func refusal(mode: RunningMode) throws {
        let obey = try NumberRecognizer.called(mode)
        func recognize(_ value: Int, at time: Int64) throws -> [Int] {
            mode == .single
                ? try obey.recognize(TestNumber(value)).values
                : try obey.recognize(TestNumber(value), timestampMilliseconds: time).values
        }
        #expect(try recognize(1, at: 1) == [1])
        let error = #expect(throws: PipelineError.self) { try recognize(Obey.refused, at: 2) }
        #expect(error?.code == "obey.refused")
        #expect(error?.category == .frame)
        #expect(try recognize(-1, at: 3) == [])
        #expect(try recognize(1000, at: 4) == [1001, 1002, 1003])
    }

    @Test(
        "Recognizer: a timestamp that does not increase or is invalid throws and leaves the recognizer working",
        arguments: [5, 4, -1, Int64.max, .min])
    func order(time: Int64) throws {
        let sums = try NumberRecognizer.called(.batch, AddUp())
        #expect(try sums.recognize(1, timestampMicroseconds: 5).values == [1])
        let error = #expect(throws: PipelineError.self) { try sums.recognize(1, timestampMicroseconds: time) }
        #expect(error?.code == "recognizer.timestamp_" + ((0...5).contains(time) ? "order" : "range"))
        #expect(error?.category == .frame)
        #expect(error?.help != nil)
        // Another stream has its own time.
        #expect(try sums.recognize(1, timestampMicroseconds: 1, stream: "b").values == [1])
        #expect(try sums.recognize(1, timestampMicroseconds: 6).values == [2])
    }

    @Test("Recognizer: merged branches give their results with the frame that they belong to")
    func diamond() throws {
        var plan = Plan.building()
        plan.add("in", source: FramesSource<TestNumber>([]))
        plan.add("sums", stage: AddUp())
        plan.add("numbers", stage: Obey(), from: ["in"])
        plan.add("both", stage: Obey(), from: ["sums", "numbers"])
        plan.add("out", sink: Collector<TestNumber>().sink())
        var options = NumberRecognizer.Options()
        options.runningMode = .batch
        let both = try NumberRecognizer(plan, options: options)
        let results = try (1...4).map {
            try both.recognize(TestNumber($0 * 2), timestampMilliseconds: Int64($0)).values
        }
        #expect(results == [[2, 2], [6, 4], [12, 6], [20, 8]])
    }

    @Test("Recognizer: eight threads take turns, and each stream keeps its own state")
    func threads() async throws {
        let sums = try NumberRecognizer.called(.batch, AddUp())
        let totals = try await withThrowingTaskGroup(of: Int.self) { group in
            for task in 0..<8 {
                group.addTask {
                    var last = 0
                    for time in 1...200 {
                        last =
                            try sums.recognize(
                                1, timestampMilliseconds: Int64(time), stream: StreamID("s\(task)")
                            ).values.last ?? 0
                    }
                    return last
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(totals == Array(repeating: 200, count: 8))
    }

    @Test("Recognizer: nothing of a recognizer is left when it is released")
    func memory() throws {
        weak var token: AddUp.Token?
        do {
            let held = AddUp.Token()
            token = held
            let sums = try NumberRecognizer.called(.batch, AddUp(token: held))
            _ = try sums.recognize(1, timestampMilliseconds: 1)
            let alone = try NumberRecognizer.called(.single, AddUp(token: held))
            _ = try alone.recognize(1)
        }
        #expect(token == nil)
    }
}
