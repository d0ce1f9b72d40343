import Foundation
import Pipeline
import PipelineTesting
import Stages

/// Passes every received frame on to a stream. Before the first one, it waits for a signal if it has a gate.
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

/// Returns a run that receives into a sink that waits until the gate is opened, and the frames that this sink receives.
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
