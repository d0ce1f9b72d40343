import Foundation
import Pipeline
import PipelineTesting
import Stages

/// Passes every received frame on to a stream. Before the first one, it waits for a signal if it has a gate.
struct ForwardingSink: Sink {
    typealias Input = Stroke

    let output: AsyncStream<Frame<Stroke>>.Continuation
    var gate: DispatchSemaphore?

    mutating func write(_ frame: Frame<Stroke>) {
        gate?.wait()
        gate = nil
        output.yield(frame)
    }

    mutating func close() { output.finish() }
}

/// Returns a run whose sink waits until a test signals the gate, the frames that this sink then receives, and the gate.
func zmqStalled(
    _ source: any Source, options: Run.Options
) -> (run: Run, frames: AsyncStream<Frame<Stroke>>, gate: DispatchSemaphore) {
    let (frames, continuation) = AsyncStream<Frame<Stroke>>.makeStream()
    let gate = DispatchSemaphore(value: 0)
    var plan = Plan.building()
    plan.add("camera", source: source)
    plan.add("stall", sink: ForwardingSink(output: continuation, gate: gate))
    return (Run(plan, options: options), frames, gate)
}
