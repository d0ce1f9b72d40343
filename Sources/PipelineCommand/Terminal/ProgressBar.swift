/// The progress of a long task, as a line of text.
struct ProgressBar: StatusText {
    /// The units of work that are done.
    var done: Int64 = 0
    /// The total number of units; 0 if unknown.
    var total: Int64 = 0
    /// The number of items that are done, such as frames or gestures.
    var items: Int64 = 0
    /// The name of the items.
    let noun: String
    /// The seconds since the work began.
    var elapsed: Double = 0

    /// Creates a progress bar with nothing done.
    init(_ noun: String) { self.noun = noun }

    private var share: Double? { total > 0 ? min(1, max(0, Double(done) / Double(total))) : nil }

    /// The progress in words: `62 %  41,200 frames  10,300/s  3 s left`.
    var words: String {
        var parts: [String] = []
        if let share { parts.append("\(Int(share * 100)) %") }
        parts.append("\(Self.grouped(items)) \(noun)")
        if elapsed > 0 { parts.append("\(Self.grouped(Int64(Double(items) / elapsed)))/s") }
        if let share, share > 0, share < 1, elapsed >= 1 {
            parts.append("\(Self.duration(elapsed / share - elapsed)) left")
        }
        return parts.joined(separator: "  ")
    }

    /// Returns a bar followed by the words, at most `width` columns wide. Returns only the words if there is no room or the total
    /// is unknown.
    func line(width: Int) -> String {
        let words = words
        let room = min(30, width - words.count - 4)
        guard let share, room >= 8 else { return String(words.prefix(max(0, width - 1))) }
        let filled = Int((Double(room) * share).rounded())
        let bar = String(repeating: "█", count: filled) + String(repeating: "░", count: room - filled)
        return "\(bar)  \(words)"
    }

    /// Returns a number with thousands separators: `1,234,567`.
    static func grouped(_ value: Int64) -> String {
        let digits = String(value.magnitude)
        var text = ""
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index) % 3 == 0 { text += "," }
            text.append(digit)
        }
        return (value < 0 ? "-" : "") + text
    }

    /// Returns a duration with its unit: `340 ms`, `3.2 s`, `4 min 05 s`, `2 h 07 min`.
    static func duration(_ seconds: Double) -> String {
        guard seconds.isFinite, seconds >= 0, seconds < 1e9 else { return "?" }
        if seconds < 0.9995 { return "\(Int((seconds * 1000).rounded())) ms" }
        if seconds < 9.95 { return "\(Int((seconds * 10).rounded()) / 10).\(Int((seconds * 10).rounded()) % 10) s" }
        let whole = Int(seconds.rounded())
        if whole < 60 { return "\(whole) s" }
        let (high, low, units) =
            whole < 3600 ? (whole / 60, whole % 60, ("min", "s")) : (whole / 3600, whole / 60 % 60, ("h", "min"))
        return "\(high) \(units.0) \(low < 10 ? "0" : "")\(low) \(units.1)"
    }
}
