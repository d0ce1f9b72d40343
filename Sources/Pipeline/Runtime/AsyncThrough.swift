extension AsyncSequence {
    /// The frames that an asynchronous stage makes of this sequence's frames, one frame after the other.
    ///
    /// A frame that the stage lets go (``Refusal``) is left out; one that it refuses otherwise ends the sequence with the
    /// error. The stage is opened before the first frame and closed at the end of the sequence.
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
        private enum Phase { case new, open, ended }

        private var base: Base.AsyncIterator
        private var stage: S
        private var ready: ArraySlice<Frame<S.Output>> = []
        private var phase = Phase.new

        init(base: Base.AsyncIterator, stage: S) {
            self.base = base
            self.stage = stage
        }

        /// The next frame, or `nil` at the end.
        ///
        /// - Throws: What the base throws; the error with which the stage refused a frame or could not be opened.
        public mutating func next() async throws -> Frame<S.Output>? {
            if phase == .new {
                phase = .ended
                try await stage.open(
                    AsyncStageContext(
                        id: String(describing: S.self), clock: SystemClock(), cancel: StopSignal(), log: .silent))
                phase = .open
            }
            do {
                while phase == .open {
                    if let frame = ready.popFirst() { return frame }
                    guard let frame = try await base.next() else { break }
                    ready = try await outputs(of: frame)[...]
                }
            } catch {
                await end()
                throw error
            }
            await end()
            return nil
        }

        private func outputs(of frame: Frame<S.Input>) async throws -> [Frame<S.Output>] {
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

        private mutating func end() async {
            guard phase == .open else { return }
            phase = .ended
            await stage.close()
        }
    }
}
