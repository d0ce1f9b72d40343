/// An object that receives the results of a live recognizer.
///
/// All calls are made one after the other on the recognizer's own thread, and may block. The next frame is processed when the call
/// has returned; meanwhile, newer frames replace older ones. Calls for one stream are in the order of their timestamps. Calls for
/// different streams are in the order in which their frames finished.
public protocol RecognizerDelegate<Input, Output>: AnyObject, Sendable {
    /// The payload type of the recognizer's input.
    associatedtype Input: Payload

    /// The payload type of the recognizer's output.
    associatedtype Output: Payload

    /// Called once for every accepted frame, unless it is dropped later in favor of a newer frame. Output that a stage emits on a
    /// wake-up between frames or at the end causes a separate call.
    ///
    /// - Parameters:
    ///   - recognizer: The recognizer that makes the call.
    ///   - result: The output, which may be empty.
    ///   - timestamp: The frame's timestamp.
    ///   - error: The reason if the frame could not be processed. The recognizer continues with the next frame.
    func recognizer(
        _ recognizer: Recognizer<Input, Output>, didFinish result: RecognizerResult<Output>, timestamp: Timestamp,
        error: PipelineError?)
}
