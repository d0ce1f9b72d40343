extension Recognizer {
    /// Returns the results of a single frame. The frame is a stream of its own at time 0, processed from fresh state to the end.
    /// Requires mode single.
    ///
    /// May be called from several threads at the same time.
    ///
    /// - Complexity: O(stages) in addition to the work of the stages.
    /// - Throws: A configuration error in another mode, or the reason why a stage failed to process the frame.
    public func recognize(_ input: Input) throws(PipelineError) -> RecognizerResult<Output> {
        try called(.single, "recognize(_:)").recognizeAlone(input)
    }

    /// Processes the next frame of a recorded stream and returns the output up to the frame's time. Requires mode batch.
    ///
    /// If several threads call this, they take turns. No frame is dropped. Output that a stage emits only later is returned with a
    /// later frame or by ``finish()``.
    ///
    /// - Parameters:
    ///   - input: The payload of the frame.
    ///   - timestampMilliseconds: The timestamp, later than the previous one of the stream.
    ///   - stream: The stream that the frame belongs to.
    /// - Throws: A configuration error in another mode; a frame error if the timestamp does not increase or a stage fails to
    ///   process the frame. The next frame can still be processed.
    public func recognize(
        _ input: Input, timestampMilliseconds: Int64, stream: StreamID = ""
    ) throws(PipelineError) -> RecognizerResult<Output> {
        try called(.batch, "recognize(_:timestampMilliseconds:stream:)")
            .recognize(input, .milliseconds(timestampMilliseconds), stream)
    }

    /// The same method with a timestamp in microseconds.
    public func recognize(
        _ input: Input, timestampMicroseconds: Int64, stream: StreamID = ""
    ) throws(PipelineError) -> RecognizerResult<Output> {
        try called(.batch, "recognize(_:timestampMicroseconds:stream:)")
            .recognize(input, .microseconds(timestampMicroseconds), stream)
    }

    /// Ends all streams and returns the remaining output of the stages. Streams may start again afterwards. Requires mode batch.
    ///
    /// - Throws: A configuration error in another mode, or the error that occurred at the end of a stream.
    public func finish() throws(PipelineError) -> [Frame<Output>] {
        try called(.batch, "finish()").finish()
    }

    private func called(
        _ required: RunningMode, _ call: String
    ) throws(PipelineError) -> CalledRecognition<Input, Output> {
        guard runningMode == required, case .called(let recognition) = work else {
            throw .wrongMode(call, required: required, runningMode)
        }
        return recognition
    }
}
