/// How a recognizer is called. The mode is fixed at initialization and corresponds to MediaPipe's running modes.
public enum RunningMode: String, Sendable, CaseIterable {
    /// Each frame is processed independently, from fresh state, and its results are returned immediately. Corresponds to
    /// MediaPipe's `image`.
    case single

    /// The frames of recorded streams are processed in order. No frame is dropped, and results are returned immediately.
    /// Corresponds to MediaPipe's `video`.
    case batch

    /// The frames are live and the caller never waits. Frames are dropped while the recognizer is busy, and results go to a
    /// delegate or into a sequence. Corresponds to MediaPipe's `liveStream`.
    case live

    /// The mode that the pipeline must have.
    var planMode: Mode { self == .live ? .live : .batch }
}

extension PipelineError {
    /// Returns the error for a call that belongs to another mode.
    static func wrongMode(_ call: String, required: RunningMode, _ mode: RunningMode) -> PipelineError {
        PipelineError(
            .configuration, "recognizer.wrong_mode",
            "\(call) requires the running mode \(required), and this recognizer's is \(mode)",
            help: "in mode \(mode) call \(mode.calls)")
    }
}

extension RunningMode {
    fileprivate var calls: String {
        switch self {
        case .single: "recognize(_:)"
        case .batch: "recognize(_:timestampMilliseconds:stream:) or recognize(_:timestampMicroseconds:stream:)"
        case .live:
            "recognizeAsync(_:timestampMilliseconds:stream:) or recognizeAsync(_:timestampMicroseconds:stream:)"
        }
    }
}
