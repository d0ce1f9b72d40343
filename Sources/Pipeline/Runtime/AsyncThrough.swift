extension AsyncSequence {
    /// The frames that an asynchronous stage makes of this sequence's frames, one frame after the other.
    ///
    /// A frame that the stage lets go (``Refusal``) is left out; one that it refuses otherwise ends the sequence with the
    /// error. The stage is opened before the first frame, and closed at the end of the sequence or when it is left
    /// before.
    public func through<S: AsyncStage>(_ stage: S) -> AsyncThroughSequence<Self, S> where Element == Frame<S.Input> {
        AsyncThroughSequence(base: self, stage: stage)
    }
}

/// The frames that an asynchronous stage makes of another sequence's frames; see
/// ``_Concurrency/AsyncSequence/through(_:)``.
public struct AsyncThroughSequence<Base: AsyncSequence, S: AsyncStage>: AsyncSequence
where Base.Element == Frame<S.Input> {
    public typealias Element = Frame<S.Output>

    let base: Base
    let stage: S

    public func makeAsyncIterator() -> Iterator { Iterator(base: base.makeAsyncIterator(), stage: stage) }

    /// Takes a frame from the base whenever nothing is left to give.
    public struct Iterator: AsyncIteratorProtocol {
        private var base: Base.AsyncIterator
        private let stage: HeldStage<S>
        private var ready: ArraySlice<Frame<S.Output>> = []

        init(base: Base.AsyncIterator, stage: S) {
            self.base = base
            self.stage = HeldStage(stage)
        }

        /// The next frame, or `nil` at the end.
        ///
        /// - Throws: What the base throws; the error with which the stage refused a frame or could not be opened.
        public mutating func next() async throws -> Frame<S.Output>? {
            try await stage.open()
            do {
                while stage.isOpen {
                    if let frame = ready.popFirst() { return frame }
                    guard let frame = try await base.next() else { break }
                    ready = try await stage.outputs(of: frame)[...]
                }
            } catch {
                await stage.close()
                throw error
            }
            await stage.close()
            return nil
        }
    }
}

/// A stage that is opened and closed once. Whoever stops taking frames before their end lets go of it, and it is closed then.
private final class HeldStage<S: AsyncStage> {
    private enum Phase { case new, open, ended }

    private var stage: S
    private var phase = Phase.new

    init(_ stage: S) { self.stage = stage }

    deinit {
        guard phase == .open else { return }
        Task { [stage] in
            var stage = stage
            await stage.close()
        }
    }

    var isOpen: Bool { phase == .open }

    func open() async throws {
        guard phase == .new else { return }
        phase = .ended
        try await stage.open(
            AsyncStageContext(
                id: String(describing: S.self), clock: SystemClock(), cancel: StopSignal(), log: .silent))
        phase = .open
    }

    func outputs(of frame: Frame<S.Input>) async throws -> [Frame<S.Output>] {
        do {
            return try await stage.process(frame).map {
                Frame(
                    $0, at: frame.timestamp, stream: frame.stream, sequence: frame.sequence, gap: frame.gap,
                    origin: frame.origin, arrival: frame.arrival)
            }
        } catch is Refusal {
            return []
        }
    }

    func close() async {
        guard phase == .open else { return }
        phase = .ended
        await stage.close()
    }
}
