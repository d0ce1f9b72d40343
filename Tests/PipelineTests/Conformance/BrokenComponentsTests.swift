import Pipeline
import PipelineTesting
import Synchronization
import Testing

// A stage that follows all rules, and components that each break one rule. The conformance suites must accept the stage and
// detect each broken component.

/// A stage that follows all rules.
private struct Honest: Stage {
    var sum = 0

    mutating func process(
        _ number: TestNumber, _ header: borrowing Header, into emitter: borrowing Emitter<TestNumber>
    ) throws {
        guard number.value.magnitude < 1000 else { throw PipelineError.frame("honest.large", "too large") }
        sum += number.value
        emitter.emit(TestNumber(sum))
    }
}

/// Keeps its state in a class, so that all streams share it.
private struct SharedState: Stage {
    final class Box: Sendable {
        let sum = Lock(0)
    }

    let box = Box()

    mutating func process(
        _ number: TestNumber, _ header: borrowing Header, into emitter: borrowing Emitter<TestNumber>
    ) {
        emitter.emit(
            TestNumber(
                box.sum.withLock {
                    $0 &+= 1; return $0
                }))
    }
}

/// Gives its output a later timestamp than the frame being processed.
private struct FromTheFuture: Stage {
    mutating func process(
        _ number: TestNumber, _ header: borrowing Header, into emitter: borrowing Emitter<TestNumber>
    ) {
        emitter.emit(number, at: header.timestamp.advanced(byMicroseconds: 5))
    }
}

/// Keeps half of its changes when it throws.
private struct HalfDone: Stage {
    var sum = 0

    mutating func process(
        _ number: TestNumber, _ header: borrowing Header, into emitter: borrowing Emitter<TestNumber>
    ) throws {
        sum &+= number.value
        guard number.value.magnitude < 1000 else { throw PipelineError.frame("half.large", "too large") }
        emitter.emit(TestNumber(sum))
    }
}

/// Claims to be pure, but is not.
private struct FalselyPure: Stage {
    var count = 0

    mutating func process(
        _ number: TestNumber, _ header: borrowing Header, into emitter: borrowing Emitter<TestNumber>
    ) {
        count += 1
        emitter.emit(TestNumber(count))
    }
}

/// A payload with a number that may not be finite.
private struct Level: ConformancePayload {
    static let kind: Kind = "level"
    var value: Double

    static func typical(_ index: Int) -> Level { Level(value: Double(index)) }
    static var hostile: [Level] { [Level(value: 0), Level(value: .nan)] }
}

/// Divides by its input.
private struct Inverse: Stage {
    mutating func process(_ level: Level, _ header: borrowing Header, into emitter: borrowing Emitter<Level>) {
        emitter.emit(Level(value: 1 / level.value))
    }
}

/// Never ends, even if it is told to stop.
private struct Endless: Source {
    typealias Output = TestNumber
    var timing: SourceTiming { .live }

    mutating func read(into batch: inout SourceBatch<TestNumber>) async throws -> Bool {
        await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in }
        return true
    }
}

/// Brings the run to commit points, but never returns from the reading that follows the request to stop.
private struct CommitsAndStalls: Source {
    typealias Output = TestNumber
    private var stop: StopSignal?
    var timing: SourceTiming { .live }
    var commits: Bool { true }

    mutating func open(_ context: SourceContext) async throws {
        stop = context.stop
        context.commits { _ in nil }
    }

    mutating func read(into batch: inout SourceBatch<TestNumber>) async throws -> Bool {
        guard let stop, stop.isRequested else {
            await Task.yield()
            return true
        }
        await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in }
        return false
    }
}

/// Produces other frames in small batches than in large ones.
private struct CountsBatches: Source {
    typealias Output = TestNumber
    var batches = 0

    mutating func read(into batch: inout SourceBatch<TestNumber>) async throws -> Bool {
        batches += 1
        while !batch.isFull, batch.items.count < 10 {
            let time = Int64(batches * 100 + batch.items.count)
            batch.append(Frame(TestNumber(batches), at: .microseconds(time)))
        }
        return batches < 5
    }
}

/// Produces timestamps that go back.
private struct Backwards: Source {
    typealias Output = TestNumber
    var time: Int64 = 10

    mutating func read(into batch: inout SourceBatch<TestNumber>) async throws -> Bool {
        time -= 1
        batch.append(Frame(1, at: .microseconds(time)))
        return time > 5
    }
}

/// Fails at the first bad frame.
private struct Fragile: Sink {
    var mayBlock: Bool { false }

    mutating func write(_ frame: Frame<TestNumber>) throws {
        if frame.payload.value == .max { throw PipelineError.environment("fragile.broken", "it broke") }
    }
}

/// Writes only every other frame, and refuses the rest.
private struct Forgetful: Sink {
    var mayBlock: Bool { false }
    var count = 0

    mutating func write(_ frame: Frame<TestNumber>) throws {
        count += 1
        if count % 2 == 0 { throw Refusal("forgotten") }
    }
}

/// Never answers to 3.
private struct Hang: AsyncStage {
    func process(_ frame: Frame<TestNumber>) async throws -> [TestNumber] {
        if frame.payload.value == 3 { await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in } }
        return [frame.payload]
    }
}

@Suite struct BrokenComponentsTests {
    @Test("Conformance suites: a stage that keeps every promise passes")
    func honest() async {
        #expect(await StageConformance(Honest()).violations() == [])
    }

    @Test("Conformance suites: state shared between streams is caught")
    func sharedState() async {
        #expect(await StageConformance(SharedState()).violations().map(\.rule).contains("one_instance_per_stream"))
    }

    @Test("Conformance suites: output with a later timestamp than its input is caught")
    func fromTheFuture() async {
        #expect(
            await StageConformance(FromTheFuture()).violations().map(\.rule).contains("timestamps_in_declared_range"))
    }

    @Test("Conformance suites: a refused frame that has changed the state of a stage is caught")
    func halfDone() async {
        #expect(await StageConformance(HalfDone()).violations().map(\.rule) == ["a_refused_frame_leaves_no_trace"])
    }

    @Test("Conformance suites: a stage that claims to be pure but is not is caught")
    func falselyPure() async {
        let rules = await StageConformance(FalselyPure(), isPure: true).violations().map(\.rule)
        #expect(rules == ["stateless_output_depends_only_on_frame"])
    }

    @Test("Conformance suites: output that is not finite is caught")
    func inverse() async {
        #expect(await StageConformance(Inverse()).violations().map(\.rule).contains("finite_output_or_refusal"))
    }

    @Test("Conformance suites: a source that does not stop when it is told to is caught")
    func endless() async throws {
        let found = try await SourceConformance { Endless() }.violations(stopTimeoutMs: 50)
        #expect(found.map(\.rule).contains("ends_when_told_to_stop"))
    }

    @Test("Conformance suites: a source that commits and then ignores the request to stop is caught")
    func commitsAndStalls() async throws {
        let found = try await SourceConformance { CommitsAndStalls() }.violations(stopTimeoutMs: 50)
        #expect(found.map(\.rule).contains("ends_when_told_to_stop"))
    }

    @Test("Conformance suites: a source whose frames depend on the batch size is caught")
    func countsBatches() async throws {
        let found = try await SourceConformance { CountsBatches() }.violations()
        #expect(found.map(\.rule).contains("output_independent_of_batches"))
    }

    @Test("Conformance suites: a source whose timestamps go back is caught")
    func backwards() async throws {
        let found = try await SourceConformance { Backwards() }.violations()
        #expect(found.map(\.rule) == ["increasing_timestamps"])
    }

    @Test("Conformance suites: a sink that fails at one bad frame is caught")
    func fragile() async {
        #expect(await SinkConformance(Fragile()).violations().map(\.rule) == ["bad_frame_does_not_end_run"])
    }

    @Test("Conformance suites: a sink that refuses good frames is caught")
    func forgetful() async {
        #expect(await SinkConformance(Forgetful()).violations().map(\.rule) == ["writes_typical_frames"])
    }

    @Test("Conformance suites: an asynchronous stage that never answers is caught", .timeLimit(.minutes(1)))
    func hang() async {
        let rules = await AsyncStageConformance(Hang(), typical: [1, 2, 3], hostile: []).violations(timeoutMs: 50)
            .map(\.rule)
        #expect(rules.contains("ends_when_its_input_ends"))
    }

    @Test("Conformance suites: too few frames to check a stage are an error", arguments: [-1, 0, 1, 3])
    func fewFrames(count: Int) async {
        let rules = await StageConformance(Honest(), count: count).violations().map(\.rule)
        #expect(rules == ["has_enough_typical_frames"])
    }
}
