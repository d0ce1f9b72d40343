import CKernels
import Pipeline

extension Stroke {
    /// The largest magnitude of coordinates, times and pressures that stages accept. Squares of such numbers and sums of millions
    /// of them stay finite, so stages need no overflow checks of their own.
    package static let largestMagnitude = 1e150

    /// Checks that stages can process the stroke: that it has samples, that numbers are finite and not too large, and that the
    /// stroke counts are above 0 and add up. O(samples).
    ///
    /// - Throws: A frame error: `stroke.empty`, `stroke.not_finite` or `stroke.counts`.
    package func check() throws {
        guard !samples.isEmpty else {
            throw PipelineError.frame("stroke.empty", "the stroke has no samples")
        }
        guard samples.areUsable else { throw unusableSample() }
        guard counts.isEmpty || countsAddUp else {
            throw PipelineError.frame(
                "stroke.counts",
                "the counts of the strokes must be above 0 and add up to \(samples.count), the number of samples")
        }
    }

    private var countsAddUp: Bool {
        var sum = 0
        for count in counts {
            guard count > 0, count <= samples.count else { return false }
            sum += count
        }
        return sum == samples.count
    }

    private func unusableSample() -> PipelineError {
        let index = samples.firstIndex { !($0.isFinite && $0.largestPart <= Stroke.largestMagnitude) } ?? 0
        let sample = samples[index]
        return .frame(
            "stroke.not_finite",
            "sample \(index) is not finite or too large: x \(sample.x), y \(sample.y), t \(sample.t), p \(sample.p)")
    }
}

extension Sample {
    fileprivate var largestPart: Double { max(max(abs(x), abs(y)), max(abs(t), abs(p))) }
}

extension [Sample] {
    /// Whether all numbers are finite and at most ``Stroke/largestMagnitude``.
    package var areUsable: Bool { withUnsafeBytes { $0.areUsableNumbers } }
}

extension UnsafeRawBufferPointer {
    /// Whether the doubles in the buffer are finite and at most ``Stroke/largestMagnitude``.
    var areUsableNumbers: Bool {
        let numbers = assumingMemoryBound(to: Double.self)
        guard let first = numbers.baseAddress else { return true }
        return pk_are_within(first, numbers.count, Stroke.largestMagnitude) != 0
    }
}

extension Array {
    /// Resizes the array to `count` elements: removes elements at the end, or appends copies of `filler`. The other elements, and the
    /// memory if it is large enough, are kept.
    @inlinable
    package mutating func resize(to count: Int, filler: Element) {
        if self.count > count {
            removeLast(self.count - count)
        } else if self.count < count {
            reserveCapacity(count)
            append(contentsOf: repeatElement(filler, count: count - self.count))
        }
    }
}

extension Stroke {
    /// Copies everything but the samples and counts.
    mutating func takeMetadata(of other: Stroke) {
        start = other.start
        fields = other.fields
        // Most strokes have no label or subject, and copying takes more time than checking.
        if label != nil || other.label != nil { label = other.label }
        if subject != nil || other.subject != nil { subject = other.subject }
    }
}
