/// The progress of a task, as one line of text.
protocol StatusText: Sendable {
    /// The seconds since the work began.
    var elapsed: Double { get set }

    /// The line for output in which lines cannot be overwritten.
    var words: String { get }

    /// Returns the line for a terminal, where it is overwritten in place. It is less than `width` columns wide.
    func line(width: Int) -> String
}

extension StatusText {
    func line(width: Int) -> String { String(words.prefix(max(0, width - 1))) }
}
