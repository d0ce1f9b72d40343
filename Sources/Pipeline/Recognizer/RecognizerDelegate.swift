/// Is told what came of the frames that were given to a live recognizer.
///
/// All calls are made one after the other on a thread of the recognizer's own, and may block: the next frame is worked on
/// when the call has returned, and meanwhile newer frames replace older ones. The calls for one stream come in the order
/// of their timestamps; those for different streams in the order in which their frames were finished.
public protocol RecognizerDelegate<Input, Output>: AnyObject, Sendable {
    /// What the recognizer takes.
    associatedtype Input: Payload

    /// What it makes.
    associatedtype Output: Payload

    /// A frame that was accepted has ended; each does once, unless it was dropped later for a newer one. A call of its own
    /// comes for what a stage made when it was woken between frames, or at the end.
    ///
    /// - Parameters:
    ///   - recognizer: Who calls.
    ///   - result: What came out, empty if nothing did.
    ///   - timestamp: The frame's timestamp.
    ///   - error: Why it could not be processed, if so. The recognizer goes on with the next frame.
    func recognizer(
        _ recognizer: Recognizer<Input, Output>, didFinish result: RecognizerResult<Output>, timestamp: Timestamp,
        error: PipelineError?)
}
