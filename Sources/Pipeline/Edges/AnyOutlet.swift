/// The end of a segment, whatever it carries.
protocol AnyOutlet: MarkTaker {
    /// Whether enough waits to be moved now.
    var isReady: Bool { get }

    /// Moves what fits. Returns what must be waited for if something is left; an empty text for something outside.
    func offer() -> String?

    /// Drops what is left, and all that will come.
    func discard()

    /// Says that nothing more will come.
    func finish()

    /// Whether nobody behind it does anything with what comes any more.
    var isUnwanted: Bool { get }

    /// Makes what keeps a worker's output for it, until it is its turn.
    func makeBuffer() -> OutletBuffer

    /// Takes a frame over, with its cell. Returns an empty cell in exchange, if there is one.
    func put(_ cell: FrameCell) -> FrameCell?

    /// Drops a frame that a worker has made, for the run has failed before it. Returns the empty cell.
    func cancel(_ cell: FrameCell) -> FrameCell
}

extension AnyOutlet {
    /// Takes something over that a buffer has kept. Returns an empty cell in exchange for a frame's, if there is one.
    func take(_ item: EdgeItem<FrameCell>) -> FrameCell? {
        switch item {
        case .frame(let cell): return put(cell)
        case .bound(let stream, let time): bound(stream, time)
        case .receipt(let stream, let time): receipt(stream, time)
        case .end(let stream): end(stream)
        case .inputEnd: inputEnd()
        case .credit(let credit, let stream): self.credit(credit, of: stream)
        case .progress(let rank): progress(rank)
        }
        return nil
    }
}

extension [any AnyOutlet] {
    /// Moves what fits on all of them. Returns what must be waited for if something is left; an empty text for something outside.
    func offer() -> String? {
        var full: String?
        for outlet in self {
            guard let reason = outlet.offer() else { continue }
            if full == nil || full?.isEmpty == false { full = reason }
        }
        return full
    }

    /// Moves everything, waiting for room. What has room on one of them never waits for another.
    nonisolated(nonsending) func flush(_ waker: Waker, _ monitor: RunMonitor, at place: String) async {
        while let reason = offer() {
            if monitor.isClosed {
                for outlet in self { outlet.discard() }
                return
            }
            await waker.wait(for: reason.isEmpty ? nil : "\(place) waits for \(reason)")
        }
    }
}
