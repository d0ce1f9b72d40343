/// How a recognizer is called, fixed when it is made; MediaPipe's running modes.
public enum RunningMode: String, Sendable, CaseIterable {
    /// Each frame by itself: fresh state, its results at once. MediaPipe's `image`.
    case single

    /// The frames of recorded streams in order: every one is processed, its results at once. MediaPipe's `video`.
    case batch

    /// Frames as they happen: the caller never waits, frames are dropped while the recognizer is busy, and results come
    /// to a delegate or in a sequence. MediaPipe's `liveStream`.
    case live

    /// The mode a pipeline's configuration must have.
    var planMode: Mode { self == .live ? .live : .batch }
}

extension PipelineError {
    /// A call that belongs to another mode.
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
