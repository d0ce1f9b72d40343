import Pipeline

/// Converts landmarks to vectors: the part of `vectorize` for hands, bodies and faces.
struct VectorizeLandmarks: Stage {
    private let vectorizer: LandmarkVectorizer
    private var output = FeatureVector(values: [])

    var isStateless: Bool { true }

    init(_ vectorizer: LandmarkVectorizer) { self.vectorizer = vectorizer }

    /// - Throws: A frame error if the landmarks have another topology, are not finite, or have no extent (`vectorize.no_extent`).
    mutating func process(
        _ landmarks: Landmarks, _ header: borrowing Header, into emitter: borrowing Emitter<FeatureVector>
    ) throws {
        try vectorizer.vector(of: landmarks, into: &output.values)
        output.start = header.timestamp
        output.end = header.timestamp
        output.label = landmarks.label
        output.subject = .landmarks(landmarks)
        emitter.emit(output)
        // A reference held any longer would keep the upstream stage from reusing the landmarks' memory.
        output.subject = nil
    }
}

/// Computes the vector of a set of landmarks.
///
/// With the layout `xy`, the vector contains the coordinates. With `distances`, it contains the distances between landmarks, which
/// do not change when the hand rotates or is mirrored. For a hand, these are the distances between the wrist, the knuckles and the
/// tips, thumb included; the joints in between are left out. At unit length, distances between two tips are multiplied by 2,
/// because most gestures differ in these distances. Distances between a tip and another finger's knuckle are multiplied by 0.5. The
/// weights were chosen on the hands of kinivi's hand-gesture-recognition-mediapipe.
struct LandmarkVectorizer: Sendable {
    /// The largest number of landmarks for the layout `distances`.
    static let mostPoints = 64

    private let layout: Vectorize.Layout
    private let isUnit: Bool
    private let topology: Topology
    /// The pairs of landmarks whose distances are computed.
    private let pairs: [(Int, Int)]
    /// The weights of these distances; empty if all weights are 1.
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
                help: "layout: xy takes their coordinates, layout: distances the distances between them")
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

    /// Returns the weight of the distance between two landmarks of a hand.
    private static func weight(_ a: Int, _ b: Int) -> Double {
        /// Each finger has four landmarks after the wrist; the last one is the tip.
        func isTip(_ place: Int) -> Bool { place > 0 && place % 4 == 0 }
        if isTip(a), isTip(b) { return 2 }
        guard isTip(a) || isTip(b), a > 0, b > 0 else { return 1 }
        return (a - 1) / 4 == (b - 1) / 4 ? 1 : 0.5
    }

    /// Computes the vector. O(numbers).
    func vector(of landmarks: Landmarks, into values: inout [Double]) throws {
        try landmarks.check(topology)
        // z is as accurate as x and y only in world coordinates, and in coordinates computed from them.
        let isFlat =
            landmarks.space == CoordinateSpace.normalized.rawValue
            || landmarks.space == CoordinateSpace.pixels.rawValue
        let usesDepth = landmarks.hasDepth && !isFlat
        values.removeAll(keepingCapacity: true)
        if layout == .distances {
            for (a, b) in pairs { values.append(landmarks.points[a].distance(to: landmarks.points[b], usesDepth)) }
        } else {
            for point in landmarks.points {
                values.append(point.x)
                values.append(point.y)
                if usesDepth { values.append(point.z) }
            }
        }
        guard isUnit else { return }
        for (place, weight) in weights.enumerated() { values[place] *= weight }
        // Divide by the largest value first, because squares of small values would underflow.
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
