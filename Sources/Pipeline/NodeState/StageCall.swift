/// What all nodes of a stage share, and what a node notes during a call: one frame is processed at a time.
// Only the task of the segment touches it once the run has started. Its one subclass, StageSlot, adds the stage itself: what
// stages and their emitters use must not depend on it.
class StageCall {
    final let metrics: NodeMetrics
    final let context: SegmentContext
    /// By how many microseconds the timestamp of output may be earlier than the time being processed.
    final let earlier: Int64

    /// Why the stage dropped the frame being processed.
    final var dropReason: DropReason?
    /// The timestamp outside the allowed range that the stage gave its output.
    final var refused = Timestamp.beforeAll

    init(metrics: NodeMetrics, context: SegmentContext, earlier: Int64) {
        self.metrics = metrics
        self.context = context
        self.earlier = earlier
    }
}
