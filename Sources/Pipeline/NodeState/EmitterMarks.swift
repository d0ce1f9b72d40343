/// What a stage did in one call.
@usableFromInline
package struct EmitterMarks: OptionSet, Sendable {
    @usableFromInline package let rawValue: UInt8

    @inlinable
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// It emitted a frame.
    @inlinable package static var emits: EmitterMarks { EmitterMarks(rawValue: 1) }

    /// It dropped the frame on purpose.
    @inlinable package static var drops: EmitterMarks { EmitterMarks(rawValue: 2) }

    /// It requested or canceled a wake-up.
    @inlinable package static var wakes: EmitterMarks { EmitterMarks(rawValue: 4) }

    /// It emitted a frame with a timestamp outside the allowed range.
    @inlinable package static var refused: EmitterMarks { EmitterMarks(rawValue: 8) }
}
