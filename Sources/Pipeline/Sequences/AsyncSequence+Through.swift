extension AsyncSequence where Self: Sendable {
    /// A pipeline that begins with this sequence of frames: what a stage makes of them.
    ///
    /// ```swift
    /// for try await result in strokes.through(Resample(points: 64)).through(Normalize()).through(Vectorize()) { … }
    /// ```
    ///
    /// The same stages as in a configuration, run by the same engine. A frame that a stage refuses ends the sequence with
    /// the error, after what came before it.
    ///
    /// - Parameters:
    ///   - stage: The first stage.
    ///   - busy: What happens to a frame that arrives while the pipeline is busy. Anything but `.wait` makes it a live one,
    ///     in which a frame that a stage refuses is skipped.
    public func through<S: Stage>(_ stage: S, busy: Busy = .wait) -> Flow<S.Output> where Element == Frame<S.Input> {
        Graph().source(self, busy: busy).through(stage)
    }

    /// A pipeline that begins with this sequence of frames: what an asynchronous stage makes of them.
    public func through<S: AsyncStage>(
        _ stage: S, busy: Busy = .wait
    ) -> Flow<S.Output> where Element == Frame<S.Input> {
        Graph().source(self, busy: busy).through(stage)
    }

    /// A pipeline that begins with this sequence of payloads: what a stage makes of them.
    ///
    /// - Parameters:
    ///   - stage: The first stage.
    ///   - times: Which timestamps the payloads get.
    ///   - busy: What happens to one that arrives while the pipeline is busy. Anything but `.wait` makes it a live one.
    public func through<S: Stage>(
        _ stage: S, times: PayloadTimes, busy: Busy = .wait
    ) -> Flow<S.Output> where Element == S.Input {
        Graph().source(self, times: times, busy: busy).through(stage)
    }
}
