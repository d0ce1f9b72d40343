/// Receives frames in place of a stage, and shows each to a ``WatchPoint``, so that the output of the previous stage can be
/// watched.
enum WatchedInput<R: Receiver>: Receiver {
    typealias Received = R.Received

    static func _receive(
        _ payload: consuming R.Received, _ header: UnsafePointer<FrameHeader>, at node: UnsafeMutableRawPointer
    ) {
        StageNode(node).slot.watched?.look(at: payload, header)
        R._receive(payload, header, at: node)
    }
}
