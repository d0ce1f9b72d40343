import Foundation
import PipelineTesting
import Synchronization
import Testing

@testable import Pipeline

@Suite("A live recognizer under load")
struct RecognizerLoadTests {
    /// The number of calls. `scripts/check-deep.sh thread` makes a million.
    static let calls = ProcessInfo.processInfo.environment["PIPELINE_DEEP_CALLS"].flatMap { Int($0) } ?? 40_000
    static let tasks = 8

    @Test(
        "Live recognizer: with calls from eight tasks, a stream each, every accepted frame ends exactly once and in order"
    )
    func manyCalls() async throws {
        let each = Self.calls / Self.tasks
        let delegate = Tally(streams: Self.tasks, each: each)
        let drops = Tally(streams: Self.tasks, each: each)
        var options = NumberRecognizer.Options()
        options.runningMode = .live
        options.delegate = delegate
        // A frame that the stage drops on purpose was processed, and causes a call.
        options.onDrop = { if $0.reason.isLoss { drops.count($0.stream, $0.timestamp) } }
        let recognizer = try NumberRecognizer(StageChain(Obey()), options: options)
        let refused = await withTaskGroup(of: Int.self) { group in
            for task in 0..<Self.tasks {
                group.addTask {
                    var refused = 0
                    for time in 0..<each {
                        let acceptance = try? recognizer.recognizeAsync(
                            TestNumber(time % 7 == 0 ? Obey.refused : time % 5 == 0 ? -1 : 1),
                            timestampMicroseconds: Int64(time), stream: StreamID("\(task)"))
                        if acceptance != .accepted { refused += 1 }
                    }
                    return refused
                }
            }
            return await group.reduce(0, +)
        }
        let report = try await recognizer.close()
        // A new frame replaces a waiting one, so none is refused.
        #expect(refused == 0)
        let ends = zip(delegate.counts, drops.counts).map { $0 + $1 }
        #expect(ends.count { $0 != 1 } == 0)
        #expect(ends.count == Self.tasks * each)
        #expect(delegate.disorder == 0)
        #expect(delegate.wrongGaps == 0)
        #expect(recognizer.unfinished == 0)
        #expect(report.isSuccess)
        #expect(report.violations == [])
    }
}

extension RecognizerLoadTests {
    @Test("Live recognizer: tasks that never suspend, on every core, do not keep results from arriving")
    func busyCallers() async throws {
        let counter = Counting()
        var options = NumberRecognizer.Options()
        options.runningMode = .live
        options.delegate = counter
        let recognizer = try NumberRecognizer(StageChain(Obey()), options: options)
        let wanted = 100
        await withTaskGroup { group in
            for task in 0..<ProcessInfo.processInfo.activeProcessorCount {
                group.addTask {
                    // The loop ends even if a result does not arrive. A result takes about ten microseconds.
                    for time in 0..<1_000_000 where counter.count < wanted {
                        _ = try? recognizer.recognizeAsync(
                            TestNumber(1), timestampMicroseconds: Int64(time), stream: StreamID("\(task)"))
                    }
                }
            }
        }
        #expect(counter.count >= wanted)
        #expect(try await recognizer.close().isSuccess)
    }
}

/// Counts the results that it receives.
private final class Counting: RecognizerDelegate {
    private let results = Atomic<Int>(0)

    var count: Int { results.load(ordering: .relaxed) }

    func recognizer(
        _ recognizer: NumberRecognizer, didFinish result: RecognizerResult<TestNumber>, timestamp: Timestamp,
        error: PipelineError?
    ) {
        results.add(1, ordering: .relaxed)
    }
}

/// Counts, by stream and timestamp, how often something happened.
private final class Tally: RecognizerDelegate {
    private struct State {
        var counts: [UInt8]
        var last: [Int]
        var disorder = 0
        var wrongGaps = 0
    }

    private let state: Lock<State>
    private let each: Int

    init(streams: Int, each: Int) {
        self.each = each
        state = Lock(
            State(
                counts: Array(repeating: 0, count: streams * each), last: Array(repeating: -1, count: streams)))
    }

    var counts: [UInt8] { state.withLock { $0.counts } }
    var disorder: Int { state.withLock { $0.disorder } }
    /// The number of results whose gap is not the number of frames between the previous result and this one.
    var wrongGaps: Int { state.withLock { $0.wrongGaps } }

    func count(_ stream: StreamID, _ time: Timestamp, gap: Int32? = nil) {
        guard let index = Int(stream.name) else { return }
        let time = Int(time.rawValue)
        state.withLock { state in
            state.counts[index * each + time] &+= 1
            guard let gap else { return }
            if time <= state.last[index] { state.disorder += 1 }
            if Int(gap) != time - state.last[index] - 1 { state.wrongGaps += 1 }
            state.last[index] = time
        }
    }

    func recognizer(
        _ recognizer: NumberRecognizer, didFinish result: RecognizerResult<TestNumber>, timestamp: Timestamp,
        error: PipelineError?
    ) {
        count(result.stream, timestamp, gap: result.gap)
    }
}
