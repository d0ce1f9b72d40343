/// Runs a copy of a stage on one frame and returns its first output.
///
/// - Throws: The error of the stage, or a frame error if the stage emits nothing.
package func firstOutput<S: Stage>(of stage: S, for frame: Frame<S.Input>) throws -> S.Output {
    let (first, failures) = (FirstOutput<S.Output>(), StageFailure())
    let monitor = RunMonitor()
    let slot = StageSlot(
        stage,
        NodeAccount(
            metrics: NodeMetrics(id: "stage"), policy: .route, monitor: monitor,
            errors: ErrorEnd(failures), isNested: true), context: SegmentContext(monitor: monitor))
    let chain = try Chain([slot], taking: S.Input.self, end: first)
    let copy = chain.make(for: frame.stream)
    defer { chain.free(copy) }
    var header = frame.header
    chain.head(of: copy).carrying(S.Input.self).pass(frame.payload, &header)
    if let output = first.output { return output }
    if let error = failures.error { throw error }
    let reason = slot.account.metrics.dropped.values.keys.first.map { " (\($0))" } ?? ""
    throw PipelineError.frame("stage.no_output", "the stage emitted nothing\(reason)")
}

private final class FirstOutput<Payload: Pipeline.Payload>: ReceivingObject {
    typealias Received = Payload

    var output: Payload?

    func receive(_ payload: borrowing Payload, _ header: UnsafePointer<FrameHeader>) {
        if output == nil { output = copy payload }
    }
}

private final class StageFailure: ReceivingObject {
    typealias Received = FailedFrame

    var error: PipelineError?

    func receive(_ payload: borrowing FailedFrame, _ header: UnsafePointer<FrameHeader>) { error = payload.error }
}
