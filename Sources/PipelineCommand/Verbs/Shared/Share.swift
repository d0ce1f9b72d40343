/// Parses shares: `1%`, `1 %`, `0.01`.
enum Share {
    /// Returns the share that a text gives, as a number from 0 to 1; `nil` if the text is not such a share.
    static func read(_ text: String) -> Double? {
        let isPercent = text.hasSuffix("%")
        let digits = isPercent ? String(text.dropLast().filter { $0 != " " }) : text
        guard let number = Double(digits) else { return nil }
        let share = isPercent ? number / 100 : number
        return (0...1).contains(share) ? share : nil
    }
}
