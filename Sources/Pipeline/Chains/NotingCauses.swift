/// Receives frames in place of a stage, and records since when the stage held frames before it emitted something.
enum NotingCauses<S: Stage, Base: Receiver>: Receiver where Base.Received == S.Input {
    typealias Received = S.Input

    static func _receive(
        _ payload: consuming S.Input, _ header: UnsafePointer<FrameHeader>, at node: UnsafeMutableRawPointer
    ) {
        let state = node.assumingMemoryBound(to: NodeState.self)
        let since = state.pointee.stage.assumingMemoryBound(to: S.self).pointee.heldSince
        let emitted = state.pointee.emittedSoFar
        Base._receive(payload, header, at: node)
        if let since, state.pointee.emittedSoFar > emitted { state.pointee.noteCause(since) }
    }
}
