import Pipeline
import Stages

/// The content of a sample's JSON, before its kind (stroke or hand) is known.
struct LibrarySample {
    private static let strokeKeys = ["start_us", "counts", "fields", "pts", "subject"]
    private static let handKeys = [
        "topology", "space", "fields", "pts", "conf", "world", "handedness", "handedness_score", "score", "presence",
    ]

    /// All keys that a sample may have.
    static let keys = strokeKeys + handKeys.filter { !strokeKeys.contains($0) }

    /// The keys that this sample has, in their order.
    var keys: [String] = []
    var start = Timestamp.zero
    var counts: [Double] = []
    var fields = "xy"
    var numbers: [Double] = []
    var subject: String?
    var topology = Topology.hand21.identifier
    var space: String?
    var confidences: [Double] = []
    var world: [Double] = []
    var handedness: String?
    var handednessScore: Double?
    var score: Double?
    var presence: Double?

    /// Returns the sample as a stroke.
    ///
    /// - Throws: A frame error when the numbers are inconsistent, or when there is a key that only hands have.
    func stroke() throws -> Stroke {
        try check(Self.strokeKeys, of: "a stroke")
        let letters = try letters(["x", "y", "t", "p"], "x and y are required, t and p are optional")
        func place(_ letter: Character) -> Int? { letters.firstIndex(of: letter) }
        var stroke = Stroke(samples: [], counts: counts.map { Int(exactly: $0) ?? -1 }, start: start, subject: subject)
        if place("t") != nil { stroke.fields.insert(.time) }
        if place("p") != nil { stroke.fields.insert(.pressure) }
        stroke.samples = try tuples(numbers, letters.count).map { tuple in
            func value(_ letter: Character) -> Double { place(letter).map { tuple[tuple.startIndex + $0] } ?? 0 }
            return Sample(x: value("x"), y: value("y"), t: value("t"), p: value("p"))
        }
        try stroke.check()
        return stroke
    }

    /// Returns the sample as a hand.
    ///
    /// - Throws: A frame error when the sample is not a valid hand of 21 landmarks, or when there is a key that only strokes have.
    func hand() throws -> Landmarks {
        try check(Self.handKeys, of: "a hand")
        let letters = try letters(["x", "y", "z"], "x and y are required, z is optional")
        func points(_ numbers: [Double], _ letters: [Character]) throws -> [Landmarks.Point] {
            try tuples(numbers, letters.count).map { tuple in
                func value(_ letter: Character) -> Double {
                    letters.firstIndex(of: letter).map { tuple[tuple.startIndex + $0] } ?? 0
                }
                return .init(x: value("x"), y: value("y"), z: value("z"))
            }
        }
        let hand = Landmarks(
            topology: topology, space: space, points: try points(numbers, letters), hasDepth: letters.contains("z"),
            confidences: confidences, world: try points(world, ["x", "y", "z"]), handedness: handedness,
            handednessScore: handednessScore, score: score, presence: presence)
        try hand.check(.hand21)
        return hand
    }

    private func check(_ known: [String], of what: String) throws(PipelineError) {
        guard let wrong = keys.first(where: { !known.contains($0) }) else { return }
        throw .frame(
            "library.unknown_key", "unknown key \"\(wrong)\" in \(what)",
            help: "gestures of kind \"hand21\" have hands as samples, all other gestures have strokes")
    }

    private func letters(_ known: Set<Character>, _ help: String) throws(PipelineError) -> [Character] {
        let letters = Array(fields)
        guard Set(letters).count == letters.count, known.isSuperset(of: letters), letters.contains("x"),
            letters.contains("y")
        else { throw .frame("library.fields", "fields \"\(fields)\" are not known", help: help) }
        return letters
    }

    private func tuples(_ numbers: [Double], _ width: Int) throws(PipelineError) -> [ArraySlice<Double>] {
        guard numbers.count % width == 0 else {
            throw .frame(
                "library.count", "\(numbers.count) numbers cannot be divided into points of \(width) fields")
        }
        return stride(from: 0, to: numbers.count, by: width).map { numbers[$0..<($0 + width)] }
    }
}
