/// How work that goes on is doing, as one line of text.
protocol StatusText: Sendable {
    /// Seconds since the work began.
    var elapsed: Double { get set }

    /// The line for people who see it once.
    var words: String { get }

    /// The line for a terminal, where it is written over: not wider than `width`.
    func line(width: Int) -> String
}

extension StatusText {
    func line(width: Int) -> String { String(words.prefix(max(0, width - 1))) }
}
