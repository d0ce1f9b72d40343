/// Returns the shortest decimal form of a number: `2` rather than `2.0`.
package func shortDecimal(_ value: Double) -> String {
    let text = String(value)
    return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
}

/// Returns the decimal form of a number rounded to at most two digits after the decimal point.
package func twoDecimals(_ value: Double) -> String { shortDecimal((value * 100).rounded() / 100) }
