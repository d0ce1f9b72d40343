extension AsyncSequence {
    /// The frames that a stage makes of this sequence's frames.
    ///
    /// ```swift
    /// for try await result in strokes.through(Resample(points: 64)).through(Normalize()).through(Vectorize()) { … }
    /// ```
    ///
    /// The same stage as in a configuration, with the same rules: a copy for each stream, wake-ups in stream time, a
    /// flush at the end. A frame that the stage refuses ends the sequence with the error, after what came before it.
    public func through<S: Stage>(_ stage: S) -> ThroughSequence<Self, S> where Element == Frame<S.Input> {
        ThroughSequence(base: self, stage: stage)
    }
}

/// The frames that a stage makes of another sequence's frames; see ``_Concurrency/AsyncSequence/through(_:)``.
public struct ThroughSequence<Base: AsyncSequence, S: Stage>: AsyncSequence where Base.Element == Frame<S.Input> {
    public typealias Element = Frame<S.Output>

    let base: Base
    let stage: S

    public func makeAsyncIterator() -> Iterator {
        Iterator(base: base.makeAsyncIterator(), stage: stage)
    }

    /// Takes a frame from the base whenever the stage has nothing left to give.
    public struct Iterator: AsyncIteratorProtocol {
        private var base: Base.AsyncIterator
        private let outlet = QueueInlet<S.Output>()
        private let chains: StreamChains?
        private let monitor: RunMonitor
        private var hasEnded = false

        init(base: Base.AsyncIterator, stage: S) {
            self.base = base
            monitor = RunMonitor(clock: SystemClock(), log: .silent, onDrop: nil)
            let context = SegmentContext(monitor: monitor)
            let slot = StageSlot(
                stage: stage, metrics: NodeMetrics(id: String(describing: S.self)), policy: .fail, context: context)
            // The types fit, as the compiler has seen.
            chains = (try? Chain([slot], taking: S.Input.self, end: outlet)).map {
                StreamChains($0, taking: S.Input.self, context: context)
            }
        }

        /// The next frame, or `nil` at the end.
        ///
        /// - Throws: What the base throws; the error with which the stage refused a frame.
        public mutating func next() async throws -> Frame<S.Output>? {
            while true {
                if let frame = outlet.next() { return frame }
                if let failure = monitor.failures.first {
                    hasEnded = true
                    throw failure.error
                }
                if hasEnded { return nil }
                if let frame = try await base.next() {
                    withUnsafeTemporaryAllocation(of: Frame<S.Input>.self, capacity: 1) { place in
                        guard let place = place.baseAddress else { return }
                        place.initialize(to: frame)
                        chains?.receive(place)
                    }
                } else {
                    hasEnded = true
                    chains?.endAll()
                }
            }
        }
    }
}

/// Keeps what it is given until it is asked for.
final class QueueInlet<Payload: Pipeline.Payload>: ReceivingObject {
    typealias Received = Payload

    private var frames: [Frame<Payload>] = []
    private var head = 0

    func receive(_ payload: __owned Payload, _ header: UnsafePointer<FrameHeader>) {
        frames.append(Frame(payload, header.pointee))
    }

    /// The frame that has waited longest.
    func next() -> Frame<Payload>? {
        guard head < frames.count else {
            frames.removeAll(keepingCapacity: true)
            head = 0
            return nil
        }
        defer { head += 1 }
        return frames[head]
    }
}
