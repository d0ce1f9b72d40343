extension Recognizer {
    /// What comes of one frame by itself: a stream of one frame at time 0, from fresh state to the end. Mode single.
    ///
    /// May be called from several threads at a time. O(stages) beside the work of the stages.
    ///
    /// - Throws: A configuration error in another mode; why a stage refused the frame.
    public func recognize(_ input: Input) throws(PipelineError) -> RecognizerResult<Output> {
        try called(.single, "recognize(_:)").recognizeAlone(input)
    }

    /// What came out up to the time of the next frame of a recorded stream. Mode batch.
    ///
    /// Several threads take turns. Nothing is dropped; what a stage holds back comes with a later frame, or with
    /// ``finish()``.
    ///
    /// - Parameters:
    ///   - input: The payload of the frame.
    ///   - timestampMilliseconds: Later than the one before of the stream.
    ///   - stream: Whose frame it is.
    /// - Throws: A configuration error in another mode; a frame error for a timestamp that does not increase, or with which
    ///   a stage refused the frame. The next frame is processed all the same.
    public func recognize(
        _ input: Input, timestampMilliseconds: Int64, stream: StreamID = ""
    ) throws(PipelineError) -> RecognizerResult<Output> {
        try called(.batch, "recognize(_:timestampMilliseconds:stream:)")
            .recognize(input, .milliseconds(timestampMilliseconds), stream)
    }

    /// The same, in microseconds.
    public func recognize(
        _ input: Input, timestampMicroseconds: Int64, stream: StreamID = ""
    ) throws(PipelineError) -> RecognizerResult<Output> {
        try called(.batch, "recognize(_:timestampMicroseconds:stream:)")
            .recognize(input, .microseconds(timestampMicroseconds), stream)
    }

    /// Ends all streams, and gives what the stages held back. Mode batch. Streams may start over afterwards.
    ///
    /// - Throws: A configuration error in another mode; what went wrong at the end of a stream.
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
