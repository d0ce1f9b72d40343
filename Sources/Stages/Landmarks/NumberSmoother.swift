import Pipeline

/// Smooths several numbers independently over time, with the configured method.
struct NumberSmoother: Sendable {
    private enum Filter: Sendable {
        case oneEuro(OneEuroFilter)
        case velocity(RelativeVelocityFilter)
        case median(MedianFilter)
        case none
    }

    private var filter: Filter
    private let maxGap: Double
    private var last: Timestamp?

    init(_ options: Smooth.Options) {
        maxGap = options.maxGapMs * 1000
        filter =
            switch options.method {
            case .oneEuro:
                .oneEuro(
                    OneEuroFilter(
                        .init(
                            minCutoffHz: options.minCutoffHz, beta: options.beta,
                            derivativeCutoffHz: options.derivativeCutoffHz)))
            case .velocity:
                .velocity(RelativeVelocityFilter(window: options.window, velocityScale: options.velocityScale))
            case .median: .median(MedianFilter(window: options.window))
            case .none: .none
            }
    }

    /// Resets the filter. The next numbers pass unchanged and become its initial state.
    mutating func reset() { last = nil }

    /// Smooths numbers in place.
    ///
    /// - Parameters:
    ///   - numbers: The numbers of the current frame.
    ///   - time: The timestamp of the frame. Numbers with the same timestamp as the previous ones remain unchanged.
    ///   - scale: The factor by which speeds are multiplied.
    mutating func apply(_ numbers: UnsafeMutableBufferPointer<Double>, at time: Timestamp, scale: Double = 1) {
        var elapsed: Double?
        if let last {
            let passed = Double(time.microseconds(since: last))
            if passed == 0 { return }
            if passed > 0, passed <= maxGap { elapsed = passed / 1e6 }
        }
        last = time
        switch filter {
        case .oneEuro(var filter):
            // Move the filter out while it works, so that its memory is not copied.
            self.filter = .none
            filter.apply(numbers, elapsed: elapsed, scale: scale)
            self.filter = .oneEuro(filter)
        case .velocity(var filter):
            self.filter = .none
            filter.apply(numbers, elapsed: elapsed, scale: scale)
            self.filter = .velocity(filter)
        case .median(var filter):
            self.filter = .none
            filter.apply(numbers, elapsed: elapsed)
            self.filter = .median(filter)
        case .none: break
        }
    }
}
