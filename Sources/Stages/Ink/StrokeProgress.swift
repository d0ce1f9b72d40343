import Pipeline

/// Whether a stroke is being drawn, for stages that take its pieces one by one.
///
/// What goes missing in the middle of a stroke spoils the rest of it: its pieces are dropped up to the next beginning.
struct StrokeProgress: Sendable {
    /// What a frame means.
    enum Step: Equatable {
        /// Whole strokes, which have nothing to do with the one being drawn.
        case whole
        /// A stroke begins. The one before, if it never ended, has ended or, when frames are missing, is void.
        case begin(after: Ink.Phase?)
        /// The stroke goes on, or ends with this.
        case goesOn(isLast: Bool)
        /// The stroke being drawn is void.
        case void
        /// It belongs to no stroke; the one being drawn, if there is one, is void.
        case stray(isVoid: Bool)
    }

    private var isOpen = false

    /// Takes a frame's phase and how many frames are missing before it. O(1).
    mutating func step(_ phase: Ink.Phase, gap: Int32) -> Step {
        let wasOpen = isOpen
        switch phase {
        case .whole:
            return .whole
        case .begin:
            isOpen = true
            return .begin(after: wasOpen ? (gap > 0 ? .cancel : .end) : nil)
        case .move, .end:
            isOpen = wasOpen && gap == 0 && phase == .move
            return wasOpen && gap == 0 ? .goesOn(isLast: phase == .end) : .stray(isVoid: wasOpen)
        case .cancel:
            isOpen = false
            return wasOpen ? .void : .stray(isVoid: false)
        }
    }

    /// Lets the stroke being drawn go, after a refused frame.
    mutating func reset() { isOpen = false }
}

extension Points.Phase {
    /// The phase of the ink that a piece makes.
    package var ink: Ink.Phase {
        switch self {
        case .begin: .begin
        case .move: .move
        case .end: .end
        case .cancel: .cancel
        }
    }
}
