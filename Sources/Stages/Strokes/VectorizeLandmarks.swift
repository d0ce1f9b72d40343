import Pipeline

/// Makes vectors of landmarks: the part of `vectorize` for hands, bodies and faces.
struct VectorizeLandmarks: Stage {
    private let vectorizer: LandmarkVectorizer
    private var output = FeatureVector(values: [])

    init(_ vectorizer: LandmarkVectorizer) { self.vectorizer = vectorizer }

    /// - Throws: A frame error for landmarks of another topology, for numbers that are not finite, and for landmarks without
    ///   extent (`vectorize.no_extent`).
    mutating func process(
        _ landmarks: Landmarks, _ header: borrowing Header, into emitter: borrowing Emitter<FeatureVector>
    ) throws {
        try vectorizer.vector(of: landmarks, into: &output.values)
        output.start = header.timestamp
        output.end = header.timestamp
        output.label = landmarks.label
        output.subject = .landmarks(landmarks)
        emitter.emit(output)
        // Kept any longer, the stage that made the landmarks could not reuse their memory.
        output.subject = nil
    }
}

/// The numbers of a set of landmarks.
///
/// `xy` is the coordinates. `distances` is how far landmarks are from one another, which no turn and no mirror changes: for a hand those
/// between the wrist, the thumb's first joint, the knuckles and the tips, that is where the fingers are, without the joints in between.
/// At unit length those from tip to tip count twice, for they are what most gestures differ in, and those from a tip to another finger's
/// knuckle half (chosen on the hands of kinivi's hand-gesture-recognition-mediapipe).
struct LandmarkVectorizer: Sendable {
    /// Of more landmarks there would be too many distances.
    static let mostPoints = 64

    private let layout: Vectorize.Layout
    private let isUnit: Bool
    private let topology: Topology
    /// The pairs of landmarks between which distances are taken.
    private let pairs: [(Int, Int)]
    /// By what each of these distances is multiplied; nothing where all are as they are.
    private let weights: [Double]

    /// - Throws: A configuration error for a layout that landmarks do not have.
    init(_ options: Vectorize.Options, _ topology: Topology) throws {
        layout = options.layout
        isUnit = options.unitLength
        self.topology = topology
        var places = Array(topology.points.indices)
        if topology == .hand21 {
            let names = [
                "wrist", "thumbMP", "thumbTip", "indexMCP", "indexTip", "middleMCP", "middleTip", "ringMCP", "ringTip",
                "littleMCP", "littleTip",
            ]
            places = names.compactMap { topology.place(of: $0) }
        }
        switch layout {
        case .directions:
            throw PipelineError(
                .configuration, "vectorize.layout", "landmarks have no directions from one to the next",
                help: "layout: xy takes their coordinates, layout: distances how far they are from one another")
        case .distances:
            guard places.count <= Self.mostPoints else {
                throw PipelineError(
                    .configuration, "vectorize.layout",
                    "\(topology.identifier) has too many landmarks to take the distances between all of them",
                    help: "put select: { landmarks: […] } before it")
            }
            pairs = places.enumerated().flatMap { number, a in places.dropFirst(number + 1).map { (a, $0) } }
        case .xy: pairs = []
        }
        weights = isUnit && topology == .hand21 ? pairs.map(Self.weight) : []
    }

    /// How much the distance between two landmarks of a hand counts.
    private static func weight(_ a: Int, _ b: Int) -> Double {
        /// Fingers have four landmarks each behind the wrist, and the tip is the last.
        func isTip(_ place: Int) -> Bool { place > 0 && place % 4 == 0 }
        if isTip(a), isTip(b) { return 2 }
        guard isTip(a) || isTip(b), a > 0, b > 0 else { return 1 }
        return (a - 1) / 4 == (b - 1) / 4 ? 1 : 0.5
    }

    /// Fills in the numbers. O(numbers).
    func vector(of landmarks: Landmarks, into values: inout [Double]) throws {
        try landmarks.check(topology)
        // z is as good as x and y in the world, and in what was made of it.
        let isFlat =
            landmarks.space == CoordinateSpace.normalized.rawValue
            || landmarks.space == CoordinateSpace.pixels.rawValue
        let isSolid = landmarks.hasDepth && !isFlat
        values.removeAll(keepingCapacity: true)
        if layout == .distances {
            for (a, b) in pairs { values.append(landmarks.points[a].distance(to: landmarks.points[b], isSolid)) }
        } else {
            for point in landmarks.points {
                values.append(point.x)
                values.append(point.y)
                if isSolid { values.append(point.z) }
            }
        }
        guard isUnit else { return }
        for (place, weight) in weights.enumerated() { values[place] *= weight }
        // Scaled by the largest first: squares of what is small would be lost.
        let largest = values.reduce(0) { max($0, abs($1)) }
        guard largest > 1e-145 else {
            throw PipelineError.frame(
                "vectorize.no_extent", "the landmarks have no extent, so their vector has no direction")
        }
        var squares = 0.0
        for index in values.indices {
            values[index] /= largest
            squares += values[index] * values[index]
        }
        let scale = 1 / squares.squareRoot()
        for index in values.indices { values[index] *= scale }
    }
}
