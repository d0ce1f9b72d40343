/// Counts of things, in words.
enum Counted {
    /// Returns a number of people: `1 person`, `3 people`.
    static func people(_ number: Int) -> String { number == 1 ? "1 person" : "\(number) people" }

    /// Returns a number with its noun: `1 sample`, `1,200 samples`.
    static func text(_ number: Int, _ noun: String) -> String {
        "\(ProgressBar.grouped(Int64(number))) \(noun)\(number == 1 ? "" : "s")"
    }
}
