/// Receives frames in place of a stage if its calls need more work: if the frames are watched, if failed frames are routed, or if
/// the causes of the output are recorded.
enum AttendedStage<S: Stage>: Receiver {
    typealias Received = S.Input

    static func _receive(
        _ payload: borrowing S.Input, _ header: UnsafePointer<FrameHeader>, at node: UnsafeMutableRawPointer
    ) {
        let state = node.assumingMemoryBound(to: NodeState.self)
        let slot = StageNode(node).slot
        slot.watched?.look(at: payload, header)
        if slot.keepsInput { slot.input = copy payload }
        let since = slot.causes == nil ? nil : S.heldSince(state.pointee.stage)
        let emitted = state.pointee.emittedSoFar
        S._receive(payload, header, at: node)
        slot.input = nil
        if let since, state.pointee.emittedSoFar > emitted { state.pointee.noteCause(since) }
    }
}
