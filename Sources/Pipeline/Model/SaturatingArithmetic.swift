/// Saturating arithmetic for numbers from untrusted input: a result that does not fit becomes the largest or smallest value of the
/// type.
extension FixedWidthInteger {
    /// Returns the sum, saturated.
    @inlinable
    package func addingSaturated(_ other: Self) -> Self {
        let (sum, overflows) = addingReportingOverflow(other)
        return overflows ? (other < 0 ? .min : .max) : sum
    }

    /// Adds a number, saturated.
    @inlinable
    package mutating func addSaturated(_ other: Self) { self = addingSaturated(other) }

    /// Returns the difference, saturated.
    @inlinable
    package func subtractingSaturated(_ other: Self) -> Self {
        let (difference, overflows) = subtractingReportingOverflow(other)
        return overflows ? (other < 0 ? .max : .min) : difference
    }

    /// Returns the product, saturated.
    @inlinable
    package func multipliedSaturated(by other: Self) -> Self {
        let (product, overflows) = multipliedReportingOverflow(by: other)
        return overflows ? ((self < 0) == (other < 0) ? .max : .min) : product
    }

    /// Creates the integer nearest to a number, which may be infinite. NaN becomes 0.
    @inlinable
    package init(saturating number: Double) {
        self = number.isNaN ? 0 : Self(exactly: number.rounded()) ?? (number < 0 ? .min : .max)
    }
}
