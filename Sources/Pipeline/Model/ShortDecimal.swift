/// A number as short as it can be written: `2` rather than `2.0`.
package func shortDecimal(_ value: Double) -> String {
    let text = String(value)
    return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
}

/// A number with at most two digits behind the point.
package func twoDecimals(_ value: Double) -> String { shortDecimal((value * 100).rounded() / 100) }
