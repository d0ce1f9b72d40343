/// The output end of a segment, for any payload type.
protocol AnyOutlet: MarkTaker {
    /// Whether enough items are waiting to be moved now.
    var isReady: Bool { get }

    /// Moves waiting items to the edges. An edge that is full keeps the items of its branch waiting.
    ///
    /// - Returns: `nil` if everything was moved. Otherwise, a phrase for messages that names what to wait for. The phrase is empty
    ///   if the wait is for something outside the run.
    func offer() -> String?

    /// Drops the waiting items and all later ones.
    func discard()

    /// Announces that no more items will follow.
    func finish()

    /// Whether no consumer downstream uses the output any more.
    var isUnused: Bool { get }

    /// Creates a buffer that keeps a worker's output for this outlet until the worker's turn.
    func makeBuffer() -> OutletBuffer

    /// Moves a frame that a worker has emitted out of its cell, which is empty afterwards.
    func put(_ cell: FrameCell)

    /// Drops a frame that a worker has emitted, because an earlier item has made the run fail. The cell is empty afterwards.
    func cancel(_ cell: FrameCell)
}

extension [any AnyOutlet] {
    /// Passes a mark to every outlet.
    func take(_ mark: Mark) {
        for outlet in self { outlet.take(mark) }
    }

    /// Moves the waiting items of all outlets, as far as their edges have room.
    ///
    /// - Returns: The same as ``AnyOutlet/offer()``.
    func offer() -> String? {
        var full: String?
        for outlet in self {
            guard let reason = outlet.offer() else { continue }
            if full == nil || full?.isEmpty == false { full = reason }
        }
        return full
    }

    /// Moves all waiting items, and waits for room if necessary. An outlet that has room never waits for a full outlet.
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
