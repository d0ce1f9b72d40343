import Pipeline

/// Tracks whether a stroke is in progress, for stages that process strokes piece by piece.
///
/// If frames go missing in the middle of a stroke, the rest of the stroke is invalid: its pieces are dropped up to the next
/// beginning. Movement while the pen is up belongs to no stroke.
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
        /// The frame belongs to no stroke, and is dropped for a reason. If a stroke is in progress, that stroke is canceled.
        case stray(DropReason, cancelsStroke: Bool)
    }

    private var isOpen = false
    /// Whether the pen is up for certain, so that its movement belongs to no stroke.
    private var isUp = false
    /// Whether a frame of the stroke in progress was rejected, so that its rest is invalid.
    private var isBroken = false

    /// Updates the state, and returns the role of the next frame. `gap` is the number of frames that are missing before it. O(1).
    mutating func step(_ phase: Ink.Phase, gap: Int32) -> Step {
        if phase == .whole { return .whole }
        let (wasOpen, wasUp) = (isOpen, isUp)
        let gap = isBroken ? max(1, gap) : gap
        isBroken = false
        isOpen = phase == .begin || wasOpen && gap == 0 && phase == .move
        isUp = phase == .end || phase == .cancel || wasUp && gap == 0 && phase == .move
        switch phase {
        case .whole: return .whole
        case .begin: return .begin(after: wasOpen ? (gap > 0 ? .cancel : .end) : nil)
        case .move, .end:
            if wasOpen, gap == 0 { return .continues(isLast: phase == .end) }
            return .stray(wasUp && gap == 0 ? "hover" : .interruptedStroke, cancelsStroke: wasOpen)
        case .cancel: return wasOpen ? .canceled : .stray("stroke_cancelled", cancelsStroke: false)
        }
    }

    /// Records that a frame was rejected. If a stroke is in progress, the next frame cancels it, as if frames were missing.
    mutating func noteRejected() { (isBroken, isUp) = (isOpen, false) }
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
