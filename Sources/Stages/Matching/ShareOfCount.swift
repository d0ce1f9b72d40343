extension Int {
    /// Multiplies a count by a share, rounds the product, and limits it to the range from 0 to the count. A share that is NaN
    /// gives 0.
    ///
    /// - Parameters:
    ///   - share: The share, 0 to 1.
    ///   - count: The count.
    ///   - rule: How the number is rounded.
    init(share: Double, of count: Int, rounded rule: FloatingPointRoundingRule = .down) {
        let number = (share * Double(count)).rounded(rule)
        self = number > 0 ? Int(Swift.min(number, Double(count))) : 0
    }
}
