/// A place in a chain at which whoever runs the chain looks at what passes.
final class ChainTap<P: Payload>: Inlet<P> {
    private let next: Inlet<P>
    private let keepsPayload: Bool
    private var payload: P?

    /// Whether a frame has passed since this was set to false.
    var isReached = false

    init(next: Inlet<P>, keepsPayload: Bool) {
        self.next = next
        self.keepsPayload = keepsPayload
        super.init()
    }

    override func receive(_ frame: Frame<P>) {
        note(frame)
        next.receive(frame)
    }

    override func step(_ frame: Frame<P>) -> Unmanaged<Inlet<P>>? {
        note(frame)
        return .passUnretained(next)
    }

    private func note(_ frame: Frame<P>) {
        isReached = true
        if keepsPayload { payload = frame.payload }
    }

    /// What passed last; it is not kept any longer, so that the stage that made it can use its memory again.
    func take() -> P? {
        defer { payload = nil }
        return payload
    }
}

/// The end of a chain: keeps what comes out until it is taken.
final class ChainEnd<P: Payload>: Inlet<P> {
    private var last: P?
    private var count: Int64 = 0

    override init() { super.init() }

    override func receive(_ frame: Frame<P>) {
        last = frame.payload
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
