import Pipeline

/// Resamples strokes to an even rate in time.
public struct ResampleTimeOfPoints: Stage {
    private var grid: TimeGrid
    private var times: SampleTimes
    private var before = Sample(x: 0, y: 0)
    private var output = Points(phase: .move, samples: [])

    /// Creates a stage that resamples strokes.
    public init(_ options: ResampleTime.Options) {
        grid = TimeGrid(options)
        times = SampleTimes(maxGapMs: options.maxGapMs)
    }

    public var stampsEarlierByUs: Int64 { grid.stampsEarlierByUs }

    /// - Throws: A frame error for samples that are not finite or too large (`points.not_finite`).
    public mutating func process(
        _ points: Points, _ header: borrowing Header, into emitter: borrowing Emitter<Points>
    ) throws {
        try points.check()
        if points.phase == .begin || header.gap > 0 { end() }
        let start = points.fields.contains(.time) ? points.start : header.timestamp
        output.phase = points.phase
        output.stroke = points.stroke
        output.start = start
        output.fields = points.fields.union(.time)
        output.samples.removeAll(keepingCapacity: true)
        for (sample, time) in zip(points.samples, times.of(points, at: header.timestamp)) {
            add(sample, at: Double(time.rawValue), Double(start.rawValue))
        }
        if points.phase == .end || points.phase == .cancel { end() }
        // A piece without samples matters only if it begins or ends a stroke.
        if !output.samples.isEmpty || points.phase != .move { emitter.emit(output) }
    }

    private mutating func end() {
        grid.end()
        times.reset()
    }

    private mutating func add(_ sample: Sample, at time: Double, _ start: Double) {
        if grid.repeats(time) { return }
        var sample = sample
        sample.t = time - start
        defer { before = Sample(x: sample.x, y: sample.y, t: time, p: sample.p) }
        guard grid.continues(time) else {
            grid.begin(time)
            output.samples.append(sample)
            return
        }
        while let (moment, share) = grid.next(to: time) {
            output.samples.append(
                Sample(
                    x: before.x + share * (sample.x - before.x), y: before.y + share * (sample.y - before.y),
                    t: moment - start, p: before.p + share * (sample.p - before.p)))
        }
    }
}
