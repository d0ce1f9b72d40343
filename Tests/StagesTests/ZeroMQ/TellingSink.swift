import Foundation
import Pipeline
import PipelineTesting
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

/// A run that receives into a sink which waits until the gate is opened, and what that sink is given.
func zmqStalled(
    _ source: any Source, options: Run.Options
) -> (run: Run, frames: AsyncStream<Frame<Stroke>>, gate: DispatchSemaphore) {
    let (frames, told) = AsyncStream<Frame<Stroke>>.makeStream()
    let gate = DispatchSemaphore(value: 0)
    var plan = Plan.building()
    plan.add("camera", source: source)
    plan.add("stall", sink: TellingSink(told: told, gate: gate))
    return (Run(plan, options: options), frames, gate)
}
