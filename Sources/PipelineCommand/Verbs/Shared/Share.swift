/// Parses shares: `1%`, `1 %`, `0.01`.
enum Share {
    /// Returns a share from 0 to 1; `nil` for any other text.
    static func read(_ text: String) -> Double? {
        let isPercent = text.hasSuffix("%")
        let digits = isPercent ? String(text.dropLast().filter { $0 != " " }) : text
        guard let number = Double(digits) else { return nil }
        let share = isPercent ? number / 100 : number
        return (0...1).contains(share) ? share : nil
    }
}
