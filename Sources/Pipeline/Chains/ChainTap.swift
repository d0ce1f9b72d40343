/// Records whether a frame has passed a ``ChainTapStage`` and, on request, the frame's payload.
// Used only by the one task that runs the chain.
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

    /// Removes and returns the last payload that passed. Keeping it any longer would stop the stage that created it from reusing
    /// its memory.
    func take() -> P? {
        defer { payload = nil }
        return payload
    }
}

/// A stage that passes frames on unchanged and records them in a ``ChainTap``, so that the stage that runs the chain can see them.
struct ChainTapStage<P: Payload>: Stage {
    let tap: ChainTap<P>

    mutating func process(_ payload: consuming P, _ header: borrowing Header, into emitter: borrowing Emitter<P>) {
        tap.note(payload)
        emitter.emit(payload)
    }
}

/// The end of a chain: counts the outputs, and keeps the last output until ``take()``.
final class ChainEnd<P: Payload>: ReceivingObject {
    typealias Received = P

    private var last: P?
    private var count: Int64 = 0

    func receive(_ payload: __owned P, _ header: UnsafePointer<FrameHeader>) {
        last = payload
        count += 1
    }

    /// Returns the last output and the number of outputs, and removes them.
    func take() -> (count: Int64, last: P?) {
        guard count > 0 else { return (0, nil) }
        defer {
            last = nil
            count = 0
        }
        return (count, last)
    }
}
