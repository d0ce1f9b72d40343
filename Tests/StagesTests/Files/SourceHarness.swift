import Foundation
import Pipeline
import PipelineComponents
import PipelineTesting
import Synchronization

@testable import Connectors
@testable import Stages

/// The path of the recorded data, if `PIPELINE_DATA` is set.
let pipelineData = ProcessInfo.processInfo.environment["PIPELINE_DATA"]

/// A clock that never waits: sleeping moves it to the deadline.
final class SkippingClock: RunClock {
    private let time = Lock<Int64>(1_000_000_000)

    var now: Int64 { time.withLock { $0 } }

    func sleep(until deadline: Int64) async throws { time.withLock { $0 = max($0, deadline) } }
}

/// The output of a source.
struct Reading<P: Payload> {
    var frames: [Frame<P>] = []
    var failures: [PipelineError] = []
    /// The stream of each failure and the number of frames before it, as in `pen after 2`.
    var losses: [String] = []
    var ends: [StreamID] = []
    /// All items in order, each described as text.
    var story: [String] = []
    /// The time at which each frame was passed on, in nanoseconds of the clock.
    var times: [Int64] = []
    var log: [String] = []
    var progress = Progress()
    var counts: [String: Int64] = [:]
}

private final class Lines: Sendable { let list = Lock<[String]>([]) }

/// Runs a source to its end, or until it has produced `stopAfter` frames or more: the last batch is kept completely.
func drain<S: Source>(
    _ source: S, limit: Int = 64, clock: any RunClock = SkippingClock(), stopAfter: Int = .max,
    stop: StopSignal = StopSignal(), workers: Int = 1
) async throws -> Reading<S.Output> {
    var source = source
    var reading = Reading<S.Output>()
    let said = Lines()
    var context = SourceContext(
        id: "test", clock: clock, stop: stop, progress: reading.progress,
        log: Log { line in said.list.withLock { $0.append(line.text) } })
    context.workers = workers
    try await source.open(context)
    var isOpen = true
    while isOpen, reading.frames.count < stopAfter {
        var batch = SourceBatch<S.Output>(limit: limit)
        isOpen = try await source.read(into: &batch)
        for item in batch.items {
            reading.story.append("\(item)")
            switch item {
            case .frame(let frame):
                reading.frames.append(frame)
                reading.times.append(clock.now)
            case .event(.failure(let error, let stream)):
                reading.failures.append(error)
                reading.losses.append("\(stream.name) after \(reading.frames.count)")
            case .event(.end(let stream, _)): reading.ends.append(stream)
            default: break
            }
        }
    }
    await source.close()
    reading.counts = context.counts.values
    reading.log = said.list.withLock { $0 }
    return reading
}

/// Returns the source that a configuration with these options would create.
func fileSource(
    _ path: String, _ change: (inout FileSource.Options) -> Void = { _ in }
) throws -> any Source {
    var options = FileSource.Options()
    options.path = FilePath(path)
    change(&options)
    return try FileSource.make(options, BuildContext(id: "file"))
}

/// Returns the output of a `file` source of strokes.
func readStrokes(
    _ path: String, limit: Int = 64, blockSize: Int = 1 << 20, clock: any RunClock = SkippingClock(),
    stopAfter: Int = .max, workers: Int = 1, _ change: (inout FileSource.Options) -> Void = { _ in }
) async throws -> Reading<Stroke> {
    var options = FileSource.Options()
    options.path = FilePath(path)
    change(&options)
    return try await drain(
        FileReplay<Stroke>(options, defaultStream: "file", blockSize: blockSize), limit: limit, clock: clock,
        stopAfter: stopAfter, workers: workers)
}
