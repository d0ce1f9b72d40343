/// What a tap in a chain has seen; see ``ChainTapStage``.
// Touched only by whoever runs the chain, which is one task.
final class ChainTap<P: Payload>: @unchecked Sendable {
    private let keepsPayload: Bool
    private var payload: P?

    /// Whether a frame has passed since this was set to false.
    var isReached = false

    init(keepsPayload: Bool) { self.keepsPayload = keepsPayload }

    fileprivate func note(_ payload: P) {
        isReached = true
        if keepsPayload { self.payload = payload }
    }

    /// What passed last; it is not kept any longer, so that the stage that made it can use its memory again.
    func take() -> P? {
        defer { payload = nil }
        return payload
    }
}

/// A place in a chain at which whoever runs the chain looks at what passes.
struct ChainTapStage<P: Payload>: Stage {
    let tap: ChainTap<P>

    mutating func process(_ payload: consuming P, _ header: borrowing Header, into emitter: borrowing Emitter<P>) {
        tap.note(payload)
        emitter.emit(payload)
    }
}

/// The end of a chain: keeps what comes out until it is taken.
final class ChainEnd<P: Payload>: ReceivingObject {
    typealias Received = P

    private var last: P?
    private var count: Int64 = 0

    func receive(_ payload: __owned P, _ header: UnsafePointer<FrameHeader>) {
        last = payload
        count += 1
    }

    /// What came out last, and how much did.
    func take() -> (count: Int64, last: P?) {
        guard count > 0 else { return (0, nil) }
        defer {
            last = nil
            count = 0
        }
        return (count, last)
    }
}
