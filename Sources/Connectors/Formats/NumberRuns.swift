import Pipeline

/// Lists of numbers in a list: all numbers in a row, and how many each list has.
struct NumberRuns: Sendable {
    private(set) var numbers: [Double] = []
    private(set) var counts: [Int] = []
    private var one: [Double] = []

    /// Reads the current value in place of what was held. O(numbers).
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
