/// One sample of a pen: its position, time and pressure.
///
/// Its layout is four consecutive doubles, so that samples can be loaded as SIMD vectors of four.
public struct Sample: Hashable, Sendable {
    /// The horizontal position, in the unit of the source.
    public var x: Double

    /// The vertical position, in the unit of the source.
    public var y: Double

    /// The time after the `start` of the payload that contains the sample, in microseconds; 0 if times are unknown.
    public var t: Double

    /// The pressure, in the unit of the source; 0 if unknown.
    public var p: Double

    /// Creates a sample.
    @inlinable
    public init(x: Double, y: Double, t: Double = 0, p: Double = 0) {
        self.x = x
        self.y = y
        self.t = t
        self.p = p
    }

    /// Whether position, time and pressure are all finite.
    @inlinable
    public var isFinite: Bool { x.isFinite && y.isFinite && t.isFinite && p.isFinite }
}

/// The optional fields that samples have in addition to their position.
public struct SampleFields: OptionSet, Hashable, Sendable {
    public let rawValue: UInt8

    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Samples have times.
    public static let time = SampleFields(rawValue: 1)

    /// Samples have pressures.
    public static let pressure = SampleFields(rawValue: 2)
}
