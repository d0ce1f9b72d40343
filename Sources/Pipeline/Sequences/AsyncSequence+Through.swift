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
    // Disfavored, so that the compiler's error about a stage of another payload is about `Stage`.
    @_disfavoredOverload
    public func through<S: AsyncStage>(
        _ stage: S, busy: Busy = .wait
    ) -> Flow<S.Output> where Element == Frame<S.Input> {
        Graph().source(self, busy: busy).through(stage)
    }

    /// Creates a pipeline that reads this sequence of payloads, and returns the output of its first stage.
    ///
    /// - Parameters:
    ///   - stage: The first stage.
    ///   - stream: The stream that the payloads belong to.
    ///   - times: The timestamps of the payloads.
    ///   - busy: What happens to a payload that arrives while the pipeline is busy. Any value except `.wait` makes the pipeline
    ///     live.
    public func through<S: Stage>(
        _ stage: S, stream: StreamID = "", times: PayloadTimes, busy: Busy = .wait
    ) -> Flow<S.Output> where Element == S.Input {
        Graph().source(self, stream: stream, times: times, busy: busy).through(stage)
    }
}
