/// A point in the time of one stream, in whole microseconds since that stream's epoch.
///
/// The range is 0 … 2^53 − 1, so that every timestamp is exact in a JSON number. Each source converts its own unit; everything
/// downstream uses microseconds.
public struct Timestamp: RawRepresentable, Hashable, Comparable, Sendable {
    /// Microseconds since the stream's epoch.
    public var rawValue: Int64

    /// Creates a timestamp from microseconds without checking the range; see ``isValid``.
    @inlinable
    public init(rawValue: Int64) { self.rawValue = rawValue }

    /// Returns the timestamp `value` microseconds after the epoch.
    @inlinable
    public static func microseconds(_ value: Int64) -> Timestamp { Timestamp(rawValue: value) }

    /// Returns the timestamp `value` milliseconds after the epoch. Saturates instead of overflowing.
    @inlinable
    public static func milliseconds(_ value: Int64) -> Timestamp {
        Timestamp(rawValue: value.multipliedSaturated(by: 1000))
    }

    /// The epoch itself: 0 µs.
    public static let zero = Timestamp(rawValue: 0)

    /// The largest timestamp: 2^53 − 1 µs, about 285 years.
    public static let max = Timestamp(rawValue: 9_007_199_254_740_991)

    /// The watermark of a stream that has not started. It is before every valid timestamp.
    public static let beforeAll = Timestamp(rawValue: -1)

    /// A time after every timestamp, for events that never happen.
    @inlinable
    package static var never: Timestamp { Timestamp(rawValue: .max) }

    /// Whether the value is in 0 … 2^53 − 1.
    @inlinable
    public var isValid: Bool { rawValue >= 0 && rawValue <= 9_007_199_254_740_991 }

    @inlinable
    public static func < (a: Timestamp, b: Timestamp) -> Bool { a.rawValue < b.rawValue }

    /// Returns the timestamp `microseconds` later. Saturates at the limits of `Int64`.
    @inlinable
    public func advanced(byMicroseconds microseconds: Int64) -> Timestamp {
        Timestamp(rawValue: rawValue.addingSaturated(microseconds))
    }

    /// Returns the timestamp `milliseconds` later, rounded to whole microseconds.
    @inlinable
    public func advanced(byMilliseconds milliseconds: Double) -> Timestamp {
        let microseconds = (milliseconds * 1000).rounded()
        guard microseconds.isFinite, abs(microseconds) < 9e18 else {
            return Timestamp(rawValue: microseconds < 0 ? .min : .max)
        }
        return advanced(byMicroseconds: Int64(microseconds))
    }

    /// Returns the microseconds from `other` to this timestamp; negative if this one is earlier. Saturates.
    @inlinable
    public func microseconds(since other: Timestamp) -> Int64 {
        rawValue.subtractingSaturated(other.rawValue)
    }
}

extension Timestamp: CustomStringConvertible {
    /// The time in seconds with six decimal digits, as in `1.250000 s`.
    public var description: String {
        let magnitude = rawValue.magnitude
        let fraction = String(magnitude % 1_000_000)
        let padding = String(repeating: "0", count: 6 - fraction.count)
        return "\(rawValue < 0 ? "-" : "")\(magnitude / 1_000_000).\(padding)\(fraction) s"
    }
}
