/// The progress of a task, as one line of text.
protocol StatusText: Sendable {
    /// The seconds since the work began.
    var elapsed: Double { get set }

    /// The line as it is written where lines are not overwritten.
    var words: String { get }

    /// Returns the line as it is written on a terminal, where it is overwritten in place: less than `width` columns wide.
    func line(width: Int) -> String
}

extension StatusText {
    func line(width: Int) -> String { String(words.prefix(max(0, width - 1))) }
}
