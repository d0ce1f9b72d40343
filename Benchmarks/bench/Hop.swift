import Pipeline
import PipelineTesting
import Stages

/// Measures a hop from one task to another, with strokes of 64 points.
enum Hop {
    /// Measures a source that feeds a stage and a sink over an edge of 64 frames.
    ///
    /// - Parameter arguments: The number of frames, and the batch size of the source (1: one by one).
    static func measure(_ arguments: [String]) async throws -> Measured {
        let frames = arguments.integer(0, 1_000_000)
        var plan = Plan.building()
        plan.add("source", source: RepeatingStroke(count: frames, size: arguments.integer(1, 1)))
        plan.add("pass", stage: Emit<Stroke>())
        plan.add("sink", sink: Counting<Stroke>())
        let time = try await plan.nanosecondsPerFrame(frames)
        return Measured(nanoseconds: time, items: frames, check: Double(frames))
    }

    /// Measures sending the same frames from one task to another through an `AsyncStream`.
    ///
    /// - Parameter arguments: The number of frames.
    static func measureAsyncStream(_ arguments: [String]) async throws -> Measured {
        let frames = arguments.integer(0, 1_000_000)
        let (stream, continuation) = AsyncStream.makeStream(of: Frame<Stroke>.self)
        let clock = Stopwatch(.wall)
        let count = await withTaskGroup(of: Int.self) { group in
            group.addTask {
                let stroke = StrokeSource.stroke
                for i in 0..<frames {
                    continuation.yield(
                        Frame(stroke, at: .microseconds(Int64(i)), stream: "pen/1", sequence: Int64(i)))
                }
                continuation.finish()
                return 0
            }
            group.addTask {
                var count = 0
                for await frame in stream where frame.payload.samples.count == 64 { count += 1 }
                return count
            }
            return await group.reduce(0, +)
        }
        return Measured(nanoseconds: clock.nanoseconds / Double(frames), items: frames, check: Double(count))
    }
}
