/// The progress of a task, as one line of text.
protocol StatusText: Sendable {
    /// The seconds since the work began.
    var elapsed: Double { get set }

    /// The line for people who see it once.
    var words: String { get }

    /// Returns the line for a terminal, where it is overwritten: at most `width` columns wide.
    func line(width: Int) -> String
}

extension StatusText {
    func line(width: Int) -> String { String(words.prefix(max(0, width - 1))) }
}
