/// The actions of a stage during one call.
@usableFromInline
package struct EmitterMarks: OptionSet, Sendable {
    @usableFromInline package let rawValue: UInt8

    @inlinable
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The stage emitted a frame.
    @inlinable package static var emits: EmitterMarks { EmitterMarks(rawValue: 1) }

    /// The stage dropped the frame on purpose.
    @inlinable package static var drops: EmitterMarks { EmitterMarks(rawValue: 2) }

    /// The stage requested or canceled a wake-up.
    @inlinable package static var wakes: EmitterMarks { EmitterMarks(rawValue: 4) }

    /// The stage emitted a frame with a timestamp outside the allowed range.
    @inlinable package static var refused: EmitterMarks { EmitterMarks(rawValue: 8) }
}
