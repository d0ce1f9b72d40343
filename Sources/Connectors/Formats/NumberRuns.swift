import Pipeline

/// A list of lists of numbers: all numbers in one array, and the length of each list.
struct NumberRuns: Sendable {
    private(set) var numbers: [Double] = []
    private(set) var counts: [Int] = []
    private var one: [Double] = []

    /// Reads the current value, replacing the previous contents. O(numbers).
    mutating func read<Reader: DocumentReader>(_ document: Reader) throws(PipelineError) {
        numbers.removeAll(keepingCapacity: true)
        counts.removeAll(keepingCapacity: true)
        try document.enterArray()
        while try document.nextElement() {
            try document.numbers(into: &one)
            numbers.append(contentsOf: one)
            counts.append(one.count)
        }
    }
}
