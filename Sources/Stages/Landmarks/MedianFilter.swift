/// Computes the moving median of the last few values, for several numbers at once. It removes single outliers and keeps edges.
/// Complexity: O(numbers · window) per step.
struct MedianFilter: Sendable {
    private let window: Int
    /// The last values, as a ring buffer of `window` values for each number.
    private var history: [Double] = []
    private var count = 0
    private var next = 0
    private var sorted: [Double] = []

    init(window: Int) { self.window = window }

    /// Filters numbers in place.
    ///
    /// The median of an even number of values, which occurs only at the beginning or with an even window, is the mean of the two
    /// middle ones.
    ///
    /// - Parameters:
    ///   - numbers: The numbers of the current frame.
    ///   - elapsed: The time since the last frame; `nil` resets the filter.
    mutating func apply(_ numbers: UnsafeMutableBufferPointer<Double>, elapsed: Double?) {
        if elapsed == nil || history.count != numbers.count * window {
            history.resize(to: numbers.count * window, filler: 0)
            (count, next) = (0, 0)
        }
        count = min(count + 1, window)
        for index in numbers.indices {
            history[index * window + next] = numbers[index]
            numbers[index] = median(of: index * window)
        }
        next = (next + 1) % window
    }

    private mutating func median(of start: Int) -> Double {
        sorted.removeAll(keepingCapacity: true)
        for value in history[start..<(start + count)] {
            sorted.insert(value, at: sorted.firstIndex { $0 > value } ?? sorted.count)
        }
        let middle = count / 2
        return count % 2 == 1 ? sorted[middle] : sorted[middle - 1] + (sorted[middle] - sorted[middle - 1]) / 2
    }
}
