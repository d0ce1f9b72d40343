import Pipeline
import Stages

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Reads landmarks that MediaPipe has written in the text format of Protocol Buffers.
///
/// A document can be a `NormalizedLandmarkList`, a `LandmarksDetectionResult` (handedness, landmarks, world coordinates), a
/// `HolisticResult`, or the printed output of a program with several of them.
///
/// Every message with `landmark` fields is a list of landmarks. If the name of the message contains `world`, its points are in
/// meters. A name with `left_hand` or `right_hand` determines the handedness; otherwise, the classification does. Lists, world
/// lists and classifications are matched by their order.
enum MediaPipeText {
    /// Returns the sets of landmarks in a document that have as many points as the topology.
    ///
    /// - Parameter traits: What the configuration of the source declares about the landmarks.
    /// - Throws: A frame error if no list has as many points as the topology. An error in a particular line is located by that
    ///   line.
    static func sets(
        in document: UnsafeRawBufferPointer, _ traits: LandmarkTraits
    ) throws(PipelineError) -> [Landmarks] {
        var lists = Lists()
        try ProtobufText.read(document) { (event) throws(PipelineError) in try lists.take(event) }
        lists.finish()
        return try lists.sets(traits)
    }

    private struct List {
        var name = "landmarks"
        var points: [Landmarks.Point] = []
        var visibilities: [Double] = []
        var hasDepth = false

        var isWorld: Bool { name.contains("world") }
        var side: String? {
            name.contains("left_hand") ? "Left" : name.contains("right_hand") ? "Right" : nil
        }
    }

    private struct Lists {
        /// The open messages, outermost first. The first one is the document itself.
        private var open = [List()]
        private var done: [List] = []
        private var sides: [(name: String, score: Double?)] = []
        private var point = Landmarks.Point(x: 0, y: 0)
        private var visibility: Double?
        private var side: (name: String?, score: Double?) = (nil, nil)

        mutating func take(_ event: ProtobufText.Event) throws(PipelineError) {
            switch event {
            case .open(let name):
                if name == "landmark" { (point, visibility) = (Landmarks.Point(x: 0, y: 0), nil) }
                if name == "classification" { side = (nil, nil) }
                open.append(List(name: name))
            case .value(let name, let text): try take(name, text)
            case .close: close()
            }
        }

        private mutating func take(_ field: String, _ text: String) throws(PipelineError) {
            switch (open.last?.name, field) {
            case ("landmark", "x"): point.x = try Self.number(field, text)
            case ("landmark", "y"): point.y = try Self.number(field, text)
            case ("landmark", "z"):
                point.z = try Self.number(field, text)
                if open.count > 1 { open[open.count - 2].hasDepth = true }
            case ("landmark", "visibility"): visibility = try Self.number(field, text)
            case ("classification", "label"): side.name = text
            case ("classification", "score"): side.score = try Self.number(field, text)
            default: break
            }
        }

        private static func number(_ field: String, _ text: String) throws(PipelineError) -> Double {
            // A number can have the suffix f.
            let digits = text.last == "f" ? text.dropLast() : text[...]
            guard let value = Connectors.number(in: Array(digits.utf8)[...]) else {
                throw .frame("decode.type", "\(field): expected a finite number, found \(quote(text))")
            }
            return value
        }

        private mutating func close() {
            guard open.count > 1 else { return }
            let message = open.removeLast()
            switch message.name {
            case "landmark":
                open[open.count - 1].points.append(point)
                if let visibility { open[open.count - 1].visibilities.append(visibility) }
            case "classification":
                // A holistic result also classifies the facial expression.
                if let name = side.name, ["Left", "Right"].contains(name) { sides.append((name, side.score)) }
            default: keep(message)
            }
        }

        private mutating func keep(_ list: List) { if !list.points.isEmpty { done.append(list) } }

        mutating func finish() { if let document = open.first { keep(document) } }

        func sets(_ traits: LandmarkTraits) throws(PipelineError) -> [Landmarks] {
            let topology = traits.topology?.topology ?? .hand21
            let fitting = done.filter { $0.points.count == topology.points.count }
            guard !fitting.isEmpty else {
                guard !done.isEmpty else { throw .frame("decode.missing", "the file has no landmarks") }
                let counts = Set(done.map(\.points.count)).sorted().map(String.init).joined(separator: ", ")
                throw .frame(
                    "decode.count",
                    "\(topology.identifier) has \(topology.points.count) landmarks, but the lists in the file have \(counts)",
                    help: "set topology to the landmarks that there are")
            }
            let worlds = fitting.filter(\.isWorld)
            let images = fitting.filter { !$0.isWorld }
            let space = traits.space ?? .normalized
            let points = space == .world ? worlds : images
            guard !points.isEmpty else {
                throw .frame(
                    "decode.missing",
                    space == .world
                        ? "the file has no world positions" : "the file has only world positions",
                    help: space == .world ? "leave space: world out" : "set space: world at the source")
            }
            return try points.indices.map { (index) throws(PipelineError) in
                try set(points, index, worlds, space, topology)
            }
        }

        private func set(
            _ lists: [List], _ index: Int, _ worlds: [List], _ space: CoordinateSpace, _ topology: Topology
        ) throws(PipelineError) -> Landmarks {
            let list = lists[index]
            let world =
                list.side.map { side in worlds.first { $0.side == side } }
                ?? (worlds.count == lists.count ? worlds[index] : nil)
            let told = sides.indices.contains(index) ? sides[index] : nil
            return Landmarks(
                topology: topology.identifier, space: space.rawValue, points: list.points, hasDepth: list.hasDepth,
                confidences: try confidences(list), world: world?.points ?? [], handedness: list.side ?? told?.name,
                handednessScore: list.side == nil ? told?.score : nil)
        }

        /// Returns the detector's confidence in each point. MediaPipe's graphs write probabilities. Some of its models write
        /// logits, which the logistic function turns into probabilities.
        private func confidences(_ list: List) throws(PipelineError) -> [Double] {
            let (count, points) = (list.visibilities.count, list.points.count)
            guard count == 0 || count == points else {
                throw .frame("decode.count", "\(count) visibilities for \(points) landmarks")
            }
            guard !list.visibilities.allSatisfy({ (0...1).contains($0) }) else { return list.visibilities }
            return list.visibilities.map { 1 / (1 + exp(-$0)) }
        }
    }
}
