import Pipeline

/// Smooths pen samples, stroke by stroke.
public struct SmoothPoints: Stage {
    private var smoother: NumberSmoother
    private var times: SampleTimes
    private var last: Timestamp?
    private var place = [0.0, 0.0]
    private var output = Points(phase: .move, samples: [])

    /// Creates a stage from its options. `scaleBy` is ignored.
    public init(_ options: Smooth.Options = Smooth.Options()) {
        smoother = NumberSmoother(options)
        times = SampleTimes(maxGapMs: options.maxGapMs)
    }

    /// - Throws: A frame error for samples that are not finite or too large (`points.not_finite`).
    public mutating func process(
        _ points: Points, _ header: borrowing Header, into emitter: borrowing Emitter<Points>
    ) throws {
        try points.check()
        if points.phase == .begin { reset() }
        output.phase = points.phase
        output.stroke = points.stroke
        output.start = points.start
        output.fields = points.fields
        output.samples.removeAll(keepingCapacity: true)
        for (sample, time) in zip(points.samples, times.of(points, at: header.timestamp)) {
            (place[0], place[1]) = (sample.x, sample.y)
            // A sample with the same time as the one before it passes unchanged, and smoothing starts over with it.
            if time == last { smoother.reset() }
            last = time
            place.withUnsafeMutableBufferPointer { smoother.apply($0, at: time) }
            output.samples.append(Sample(x: place[0], y: place[1], t: sample.t, p: sample.p))
        }
        if points.phase == .end || points.phase == .cancel { reset() }
        emitter.emit(output)
    }

    private mutating func reset() {
        smoother.reset()
        times.reset()
        last = nil
    }
}
