/// Counts the payloads that pass a point of a chain, and keeps the last one, so that the stage that runs the chain can see them.
// Used only by the one task that runs the chain.
@usableFromInline
final class LastPayload<P: Payload>: @unchecked Sendable {
    // The payload has memory of its own: code that is not compiled for the payload's type would look up the type `P?` every time.
    @usableFromInline let memory = UnsafeMutablePointer<P>.allocate(capacity: 1)
    // Unchecked, because they are used for every frame, by one task at a time.
    @usableFromInline @exclusivity(unchecked) var isFull = false
    /// The number of payloads; its user resets it.
    @exclusivity(unchecked) var count: Int64 = 0

    deinit {
        if isFull { memory.deinitialize(count: 1) }
        memory.deallocate()
    }

    /// Keeps a payload instead of the one before.
    func keep(_ payload: __owned P) {
        if isFull { memory.deinitialize(count: 1) }
        memory.initialize(to: payload)
        isFull = true
    }

    /// Removes and returns the last payload. Keeping it any longer would stop the stage that created it from reusing its memory.
    @inlinable
    func take() -> P? {
        guard isFull else { return nil }
        isFull = false
        return memory.move()
    }
}
