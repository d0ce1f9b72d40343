extension Recognizer {
    /// Gives a frame as it happens. Mode live. Never waits: a frame that finds the recognizer busy waits in the place of the
    /// one before, or is dropped, as the edge behind the input says.
    ///
    /// May be called from several threads at a time, each with streams of its own. An accepted frame ends once: in a result,
    /// which is empty if nothing came of it, or has an error; or dropped later for a newer one, which stands in the
    /// drop record and in the gap of the next result.
    ///
    /// - Parameters:
    ///   - input: The payload of the frame.
    ///   - timestampMilliseconds: Later than the one before of the stream.
    ///   - stream: Whose frame it is.
    /// - Returns: Whether it was accepted, or why it was dropped.
    /// - Throws: A configuration error in another mode, or when the recognizer has been closed; a frame error for a
    ///   timestamp that does not increase. The next frame is taken all the same.
    @discardableResult
    public func recognizeAsync(
        _ input: Input, timestampMilliseconds: Int64, stream: StreamID = ""
    ) throws(PipelineError) -> FrameAcceptance {
        try live("recognizeAsync(_:timestampMilliseconds:stream:)")
            .give(input, .milliseconds(timestampMilliseconds), stream)
    }

    /// The same, in microseconds.
    @discardableResult
    public func recognizeAsync(
        _ input: Input, timestampMicroseconds: Int64, stream: StreamID = ""
    ) throws(PipelineError) -> FrameAcceptance {
        try live("recognizeAsync(_:timestampMicroseconds:stream:)")
            .give(input, .microseconds(timestampMicroseconds), stream)
    }

    /// The results, for those who prefer a sequence to a delegate. Mode live, with ``Options/resultsAreSequence``.
    ///
    /// - Throws: A configuration error in another mode, or when results go to a delegate.
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

    /// How many frames have been accepted, and have neither led to a result yet nor been dropped: never more than may be
    /// worked on and wait.
    public var unfinished: Int {
        guard case .live(let live, _) = work else { return 0 }
        return live.unfinished
    }

    /// Takes no more frames, and waits until all that were accepted have ended and the delegate has been told.
    ///
    /// Results that nobody reads hold it up for at most the pipeline's `shutdown_timeout_ms`. Mode live.
    ///
    /// - Returns: The report on all frames.
    /// - Throws: A configuration error in another mode.
    @discardableResult
    public func close() async throws(PipelineError) -> RunReport {
        let live = try live("close()")
        await live.close()
        if case .live(_, let delivery?) = work { await delivery.finished() }
        // Only now has the delegate been told of all that was left when the run ended.
        return await live.report()
    }

    private func live(_ call: String) throws(PipelineError) -> LiveRecognition<Input, Output> {
        guard case .live(let recognition, _) = work else { throw .wrongMode(call, required: .live, runningMode) }
        return recognition
    }
}
