import Pipeline

/// Smooths pen samples, stroke by stroke.
public struct SmoothPoints: Stage {
    private var smoother: NumberSmoother
    private var place = [0.0, 0.0]
    private var output = Points(phase: .move, samples: [])

    /// Creates a stage from its options. `scaleBy` is ignored.
    public init(_ options: Smooth.Options = Smooth.Options()) { smoother = NumberSmoother(options) }

    /// - Throws: A frame error for samples that are not finite (`points.not_finite`).
    public mutating func process(
        _ points: Points, _ header: borrowing Header, into emitter: borrowing Emitter<Points>
    ) throws {
        try points.check()
        if points.phase == .begin { smoother.reset() }
        output.phase = points.phase
        output.stroke = points.stroke
        output.start = points.start
        output.fields = points.fields
        output.samples.removeAll(keepingCapacity: true)
        for sample in points.samples {
            (place[0], place[1]) = (sample.x, sample.y)
            let time =
                points.fields.contains(.time)
                ? points.start.advanced(byMilliseconds: sample.t / 1000) : header.timestamp
            place.withUnsafeMutableBufferPointer { smoother.apply($0, at: time) }
            output.samples.append(Sample(x: place[0], y: place[1], t: sample.t, p: sample.p))
        }
        if points.phase == .end || points.phase == .cancel { smoother.reset() }
        emitter.emit(output)
    }
}
