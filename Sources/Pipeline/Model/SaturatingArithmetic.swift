/// Arithmetic for numbers from untrusted input. If a result does not fit, it is the largest or smallest value that fits.
extension FixedWidthInteger {
    /// The sum.
    @inlinable
    package func addingSaturated(_ other: Self) -> Self {
        let (sum, overflows) = addingReportingOverflow(other)
        return overflows ? (other < 0 ? .min : .max) : sum
    }

    /// The difference.
    @inlinable
    package func subtractingSaturated(_ other: Self) -> Self {
        let (difference, overflows) = subtractingReportingOverflow(other)
        return overflows ? (other < 0 ? .max : .min) : difference
    }

    /// The product.
    @inlinable
    package func multipliedSaturated(by other: Self) -> Self {
        let (product, overflows) = multipliedReportingOverflow(by: other)
        return overflows ? ((self < 0) == (other < 0) ? .max : .min) : product
    }

    /// The whole number nearest to a number, which may be infinite. NaN becomes 0.
    @inlinable
    package init(saturating number: Double) {
        self = number.isNaN ? 0 : Self(exactly: number.rounded()) ?? (number < 0 ? .min : .max)
    }
}
