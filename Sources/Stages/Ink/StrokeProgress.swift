import Pipeline

/// Tracks whether a stroke is in progress, for stages that process strokes piece by piece.
///
/// If frames go missing in the middle of a stroke, the rest of the stroke is invalid: its pieces are dropped up to the next
/// beginning.
struct StrokeProgress: Sendable {
    /// The role of a frame in its stroke.
    enum Step: Equatable {
        /// The frame contains whole strokes, which are unrelated to the stroke in progress.
        case whole
        /// A stroke begins. If the previous stroke never ended, `after` is the phase that closes it: `end`, or `cancel` if frames
        /// are missing.
        case begin(after: Ink.Phase?)
        /// The stroke continues, or ends with this frame.
        case continues(isLast: Bool)
        /// The stroke in progress is canceled.
        case canceled
        /// The frame belongs to no stroke. If a stroke is in progress, that stroke is canceled.
        case stray(cancelsStroke: Bool)
    }

    private var isOpen = false
    /// Whether a frame of the stroke in progress was rejected, so that its rest is invalid.
    private var isBroken = false

    /// Updates the state, and returns the role of the next frame. `gap` is the number of frames that are missing before it. O(1).
    mutating func step(_ phase: Ink.Phase, gap: Int32) -> Step {
        if phase == .whole { return .whole }
        let wasOpen = isOpen
        let gap = isBroken ? max(1, gap) : gap
        isBroken = false
        switch phase {
        case .whole: return .whole
        case .begin:
            isOpen = true
            return .begin(after: wasOpen ? (gap > 0 ? .cancel : .end) : nil)
        case .move, .end:
            isOpen = wasOpen && gap == 0 && phase == .move
            return wasOpen && gap == 0 ? .continues(isLast: phase == .end) : .stray(cancelsStroke: wasOpen)
        case .cancel:
            isOpen = false
            return wasOpen ? .canceled : .stray(cancelsStroke: false)
        }
    }

    /// Records that a frame was rejected. If a stroke is in progress, the next frame cancels it, as if frames were missing.
    mutating func noteRejected() { isBroken = isOpen }
}

extension Points.Phase {
    /// The phase of the ink that a piece of a stroke becomes.
    package var ink: Ink.Phase {
        switch self {
        case .begin: .begin
        case .move: .move
        case .end: .end
        case .cancel: .cancel
        }
    }
}
