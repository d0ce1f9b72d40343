/// The state that all nodes of a stage share, including what a node records during a call. Only one call runs at a time.
// Only the task of the segment accesses it once the run has started. Its only subclass, StageSlot, adds the stage itself. The class
// is separate because the code for emitters must not depend on StageSlot.
class StageCall {
    final let account: NodeAccount
    final let context: SegmentContext
    /// The number of microseconds by which the timestamp of output may be earlier than the time being processed.
    final let earlier: Int64
    /// Whether the stage may emit frames for other streams.
    final let renamesStreams: Bool
    /// Records from which input streams each output stream was made, if the stage renames streams and the run has commit points.
    final var names: RenamedStreams?
    /// Records for each output the time of the first frame that the stage held when it made the output, if the run has commit
    /// points.
    final var causes: OutputCauses?

    /// The reason why the stage dropped the frame being processed.
    final var dropReason: DropReason?
    /// The timestamp of an output that was refused because it was outside the allowed range.
    final var refused = Timestamp.beforeAll
    /// The stream of an output that was refused because the stage may not rename streams.
    final var refusedStream: StreamID?
    /// The header of the output, if the header of the input frame cannot be used for it.
    final let output: UnsafeMutablePointer<FrameHeader>

    init(_ account: NodeAccount, context: SegmentContext, earlier: Int64, renamesStreams: Bool) {
        self.account = account
        self.context = context
        self.earlier = earlier
        self.renamesStreams = renamesStreams
        output = .allocate(capacity: 1)
        output.initialize(
            to: FrameHeader(timestamp: .zero, stream: ""))
    }

    deinit {
        output.deinitialize(count: 1)
        output.deallocate()
    }
}
