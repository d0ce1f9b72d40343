extension Recognizer {
    /// Passes in a live frame. Requires mode live. The call never waits: if the recognizer is busy, the frame replaces the waiting
    /// frame or is dropped, depending on the policy of the edge after the input.
    ///
    /// May be called from several threads at the same time, each with its own streams. An accepted frame ends exactly once. Either
    /// it ends in a result, which may be empty or have an error, or it is dropped later in favor of a newer frame. Such a drop
    /// appears in the drop record and in the gap of the next result.
    ///
    /// - Parameters:
    ///   - input: The payload of the frame.
    ///   - timestampMilliseconds: The timestamp, later than the previous one of the stream.
    ///   - stream: The stream that the frame belongs to.
    /// - Returns: Whether the frame was accepted, or the reason why it was dropped.
    /// - Throws: A configuration error in another mode or if the recognizer has been closed; a frame error if the timestamp does
    ///   not increase. The next frame is still accepted.
    @discardableResult
    public func recognizeAsync(
        _ input: Input, timestampMilliseconds: Int64, stream: StreamID = ""
    ) throws(PipelineError) -> FrameAcceptance {
        try live("recognizeAsync(_:timestampMilliseconds:stream:)")
            .give(input, .milliseconds(timestampMilliseconds), stream)
    }

    /// The same method with a timestamp in microseconds.
    @discardableResult
    public func recognizeAsync(
        _ input: Input, timestampMicroseconds: Int64, stream: StreamID = ""
    ) throws(PipelineError) -> FrameAcceptance {
        try live("recognizeAsync(_:timestampMicroseconds:stream:)")
            .give(input, .microseconds(timestampMicroseconds), stream)
    }

    /// Returns the results as a sequence, as an alternative to a delegate. Requires mode live with ``Options/resultsAreSequence``.
    ///
    /// - Throws: A configuration error in another mode, or if results go to a delegate.
    public func results() throws(PipelineError) -> RecognizerResults<Output> {
        let live = try live("results()")
        if case .live(_, .some) = work {
            throw PipelineError(
                .configuration, "recognizer.no_sequence",
                "results() requires resultsAreSequence, and the results go to a delegate",
                help: "set resultsAreSequence to true and leave out the delegate")
        }
        return RecognizerResults(results: live.results) { [weak live] in live?.cancel() }
    }

    /// The number of frames that were accepted and have neither led to a result nor been dropped. The capacity of the edges after
    /// the input limits this number.
    public var unfinished: Int {
        guard case .live(let live, _) = work else { return 0 }
        return live.unfinished
    }

    /// Stops accepting frames, and waits until all accepted frames have ended and the delegate has received their results. Requires
    /// mode live.
    ///
    /// Results that are not read delay this call by at most the pipeline's `shutdown_timeout_ms`.
    ///
    /// - Returns: The report on all frames.
    /// - Throws: A configuration error in another mode.
    @discardableResult
    public func close() async throws(PipelineError) -> RunReport {
        let live = try live("close()")
        await live.close()
        if case .live(_, let delivery?) = work { await delivery.finished() }
        // Take the report only now: the delegate has received all results that were left when the run ended.
        return await live.report()
    }

    private func live(_ call: String) throws(PipelineError) -> LiveRecognition<Input, Output> {
        guard case .live(let recognition, _) = work else { throw .wrongMode(call, required: .live, runningMode) }
        return recognition
    }
}
