/// One sample of a pen: a place, when it was there, and how hard it pressed.
///
/// Four doubles in a row, so that samples can be moved and computed with as SIMD vectors of four.
public struct Sample: Hashable, Sendable {
    /// Horizontal place, in the unit of the source.
    public var x: Double

    /// Vertical place, in the unit of the source.
    public var y: Double

    /// Microseconds after the `start` of what the sample belongs to; 0 when times are not known.
    public var t: Double

    /// Pressure, in the unit of the source; 0 when it is not known.
    public var p: Double

    /// Makes a sample.
    @inlinable
    public init(x: Double, y: Double, t: Double = 0, p: Double = 0) {
        self.x = x
        self.y = y
        self.t = t
        self.p = p
    }

    /// Whether place, time and pressure are all finite.
    @inlinable
    public var isFinite: Bool { x.isFinite && y.isFinite && t.isFinite && p.isFinite }
}

/// What is known of every sample beside its place.
public struct SampleFields: OptionSet, Hashable, Sendable {
    public let rawValue: UInt8

    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Samples have times.
    public static let time = SampleFields(rawValue: 1)

    /// Samples have pressures.
    public static let pressure = SampleFields(rawValue: 2)
}
