import Pipeline

/// Smooths landmarks.
struct SmoothLandmarksStage: Stage {
    private var points: NumberSmoother
    private var world: NumberSmoother
    private let scalesByBox: Bool
    private let isOff: Bool
    private var output = Landmarks.empty

    init(_ options: Smooth.Options) {
        points = NumberSmoother(options)
        world = NumberSmoother(options)
        scalesByBox = options.scaleBy != Smooth.Scale.none
        isOff = options.method == .none
    }

    /// - Throws: A frame error for numbers that are not finite; what is smoothed has then not changed.
    mutating func process(
        _ landmarks: consuming Landmarks, _ header: borrowing Header, into emitter: borrowing Emitter<Landmarks>
    ) throws {
        try landmarks.check()
        if isOff { return emitter.emit(landmarks) }
        if landmarks.topology != output.topology || landmarks.points.count != output.points.count
            || landmarks.space != output.space
        {
            points.reset()
        }
        if landmarks.world.count != output.world.count { world.reset() }
        let size = scalesByBox ? landmarks.points.boxSize : 1
        // Without extent there is nothing to scale by, and speeds would overflow.
        let scale = size > 1e-9 ? 1 / size : 1
        output.copy(landmarks)
        output.points.withNumbers { points.apply($0, at: header.timestamp, scale: scale) }
        output.world.withNumbers { world.apply($0, at: header.timestamp) }
        emitter.emit(output)
    }
}

/// Smooths pen samples, stroke by stroke.
struct SmoothPointsStage: Stage {
    private var smoother: NumberSmoother
    private var place = [0.0, 0.0]
    private var output = Points(phase: .move, samples: [])

    init(_ options: Smooth.Options) { smoother = NumberSmoother(options) }

    /// - Throws: A frame error for samples that are not finite (`points.not_finite`).
    mutating func process(
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

/// Smooths the numbers of vectors.
struct SmoothVectorStage: Stage {
    private var smoother: NumberSmoother
    private var output = FeatureVector(values: [])

    init(_ options: Smooth.Options) { smoother = NumberSmoother(options) }

    /// - Throws: A frame error for numbers that are not finite (`vector.not_finite`).
    mutating func process(
        _ vector: FeatureVector, _ header: borrowing Header, into emitter: borrowing Emitter<FeatureVector>
    ) throws {
        guard vector.values.allSatisfy({ abs($0) <= Landmarks.largestMagnitude }) else {
            throw PipelineError.frame("vector.not_finite", "a number of the vector is not finite or too large")
        }
        if vector.values.count != output.values.count { smoother.reset() }
        output.values.removeAll(keepingCapacity: true)
        output.values.append(contentsOf: vector.values)
        output.start = vector.start
        output.end = vector.end
        output.label = vector.label
        output.subject = vector.subject
        output.values.withUnsafeMutableBufferPointer { smoother.apply($0, at: header.timestamp) }
        emitter.emit(output)
        // Kept any longer, the stage that made the subject could not reuse its memory.
        output.subject = nil
    }
}

extension Points {
    /// Refuses samples that no stage can work on.
    ///
    /// - Throws: A frame error, `points.not_finite`.
    func check() throws {
        let isUsable = samples.allSatisfy {
            $0.isFinite && abs($0.x) <= Stroke.largestMagnitude && abs($0.y) <= Stroke.largestMagnitude
        }
        guard isUsable else { throw PipelineError.frame("points.not_finite", "a sample of the stroke is not finite") }
    }
}

extension [Landmarks.Point] {
    /// The coordinates as one run of numbers.
    fileprivate mutating func withNumbers(_ body: (UnsafeMutableBufferPointer<Double>) -> Void) {
        withUnsafeMutableBytes { bytes in
            // A place is three doubles in a row.
            bytes.withMemoryRebound(to: Double.self) { body($0) }
        }
    }
}
