extension AsyncSequence where Self: Sendable {
    /// Creates a pipeline that reads this sequence of frames, and returns the output of its first stage.
    ///
    /// ```swift
    /// for try await result in strokes.through(Resample(points: 64)).through(Normalize()).through(Vectorize()) { … }
    /// ```
    ///
    /// The stages are the same as in a configuration, and the same engine runs them. If a stage fails to process a frame, the
    /// sequence ends with the error, after all earlier results.
    ///
    /// - Parameters:
    ///   - stage: The first stage.
    ///   - busy: What happens to a frame that arrives while the pipeline is busy. Any value except `.wait` makes the pipeline live.
    ///     A live pipeline skips a frame that a stage fails to process.
    public func through<S: Stage>(_ stage: S, busy: Busy = .wait) -> Flow<S.Output> where Element == Frame<S.Input> {
        Graph().source(self, busy: busy).through(stage)
    }

    /// Creates a pipeline that reads this sequence of frames, and returns the output of an asynchronous stage.
    public func through<S: AsyncStage>(
        _ stage: S, busy: Busy = .wait
    ) -> Flow<S.Output> where Element == Frame<S.Input> {
        Graph().source(self, busy: busy).through(stage)
    }

    /// Creates a pipeline that reads this sequence of payloads, and returns the output of its first stage.
    ///
    /// - Parameters:
    ///   - stage: The first stage.
    ///   - times: The timestamps of the payloads.
    ///   - busy: What happens to a payload that arrives while the pipeline is busy. Any value except `.wait` makes the pipeline
    ///     live.
    public func through<S: Stage>(
        _ stage: S, times: PayloadTimes, busy: Busy = .wait
    ) -> Flow<S.Output> where Element == S.Input {
        Graph().source(self, times: times, busy: busy).through(stage)
    }
}
