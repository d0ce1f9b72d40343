/// The simulated time that a component takes to process a frame, as the command line gives it: `smooth=8ms`.
struct ServiceTime: Sendable, Equatable {
    /// The component's `id`.
    let component: String
    /// The time in nanoseconds.
    let nanoseconds: Int64

    /// Parses `ID=TIME`. Fails for any other text.
    init?(_ text: String) {
        guard let equals = text.lastIndex(of: "="), equals != text.startIndex,
            let nanoseconds = DurationText.nanoseconds(text[text.index(after: equals)...])
        else { return nil }
        component = String(text[..<equals])
        self.nanoseconds = nanoseconds
    }

    /// Returns the times by component.
    ///
    /// - Throws: A usage error if a component has two times.
    static func byComponent(_ times: [ServiceTime]) throws(UsageError) -> [String: Int64] {
        var known: [String: Int64] = [:]
        for time in times where known.updateValue(time.nanoseconds, forKey: time.component) != nil {
            throw UsageError("--service gives two times for \"\(time.component)\"", help: "give it one")
        }
        return known
    }
}
