import Foundation
import Pipeline
import Stages

/// Tells of every frame it is given; waits before the first until it may go on.
struct TellingSink: Sink {
    typealias Input = Stroke

    let told: AsyncStream<Frame<Stroke>>.Continuation
    var gate: DispatchSemaphore?

    mutating func write(_ frame: Frame<Stroke>) {
        gate?.wait()
        gate = nil
        told.yield(frame)
    }

    mutating func close() { told.finish() }
}
