/// Limits the number of frames per second (a token bucket). The unused budget of up to one second is saved.
struct FrameBudget {
    private(set) var rate: Double
    private var saved: Double
    private var last: Int64

    /// Creates a budget.
    ///
    /// - Parameter now: The current time in milliseconds.
    init(rate: Double, now: Int64) { (self.rate, saved, last) = (rate, max(1, rate), now) }

    /// Changes the rate, in frames per second. Keeps the saved budget, as far as the new rate allows.
    mutating func change(to rate: Double) {
        guard rate != self.rate else { return }
        self.rate = rate
        saved = min(saved, most)
    }

    /// Returns the number of frames that may pass at a time in milliseconds.
    mutating func available(at now: Int64) -> Int {
        saved = min(most, saved + rate * Double(max(0, now - last)) / 1000)
        last = now
        return Int(saved)
    }

    /// Records that frames have passed.
    mutating func spend(_ count: Int) { saved -= Double(count) }

    private var most: Double { rate > 0 ? max(1, rate) : 0 }
}
