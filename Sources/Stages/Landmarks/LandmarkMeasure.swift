import Pipeline
import PipelineComponents

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// One measure of landmarks: a distance, an angle, or a difference.
public struct MeasureOptions: OptionGroup {
    /// The axis of a difference.
    public enum Axis: String, OptionChoice {
        case x, y, z
    }

    /// The unit of a distance or a difference.
    public enum Unit: String, OptionChoice {
        /// The palm's extent.
        case palm
        /// The size of the bounding box.
        case box
        /// The unit of the coordinates.
        case none
    }

    @Option("Two landmarks: measures the distance between them.", example: "[thumbTip, indexTip]")
    public var distance: [LandmarkName] = []

    @Option(
        "Three landmarks: measures the angle at the second, in degrees.", example: "[indexMCP, indexPIP, indexTip]")
    public var angle: [LandmarkName] = []

    @Option("Two landmarks: measures a coordinate of the first minus that of the second.", example: "[wrist, thumbTip]")
    public var difference: [LandmarkName] = []

    @Option("Coordinate of the difference.")
    public var axis = Axis.y

    @Option("Unit of a distance or difference; none for the unit of the coordinates.")
    public var per = Unit.none

    public init() {}

    /// Creates a measure of the distance between two landmarks.
    public static func distance(_ a: LandmarkName, _ b: LandmarkName, per: Unit = .none) -> MeasureOptions {
        MeasureOptions { ($0.distance, $0.per) = ([a, b], per) }
    }

    /// Creates a measure of the angle at `b`, in degrees.
    public static func angle(_ a: LandmarkName, _ b: LandmarkName, _ c: LandmarkName) -> MeasureOptions {
        MeasureOptions { $0.angle = [a, b, c] }
    }

    /// Creates a measure of a coordinate of `a` minus that of `b`.
    public static func difference(
        _ a: LandmarkName, _ b: LandmarkName, axis: Axis, per: Unit = .none
    ) -> MeasureOptions {
        MeasureOptions { ($0.difference, $0.axis, $0.per) = ([a, b], axis, per) }
    }

    public func check(_ node: ConfigNode, _ context: DecodingContext) {
        let given = [("distance", distance, 2), ("angle", angle, 3), ("difference", difference, 2)]
            .filter { !$0.1.isEmpty }
        guard let (name, landmarks, count) = given.first, given.count == 1 else {
            context.findings.error(
                "measure.kind", "a measure is one of distance, angle and difference, but \(given.count) are given",
                at: node.span, path: context.path, help: "as in { distance: [thumbTip, indexTip], per: palm }")
            return
        }
        if landmarks.count != count {
            context.findings.error(
                "measure.landmarks", "\(name) takes \(count) landmarks, not \(landmarks.count)",
                at: (node[name] ?? node).span, path: "\(context.path).\(name)")
        }
        for (option, belongs, isGiven) in [
            ("axis", "difference", node["axis"] != nil), ("per", "distance and difference", per != .none),
        ]
        where isGiven && (option == "axis" ? name != "difference" : name == "angle") {
            context.findings.error(
                "option.conflict", "\"\(option)\" belongs to \(belongs)", at: node[option]?.span,
                path: "\(context.path).\(option)", help: "leave it out")
        }
    }
}

/// A measure, with the indices of its landmarks.
struct LandmarkMeasure: Sendable {
    private enum Form: Sendable {
        case distance(Int, Int)
        case angle(Int, Int, Int)
        case difference(Int, Int, MeasureOptions.Axis)
    }

    private let form: Form
    private let unit: MeasureOptions.Unit
    private let palm: [Int]

    /// Resolves the names of the landmarks, and reports those that the topology does not have.
    init?(_ options: MeasureOptions, _ topology: Topology, _ context: BuildContext) {
        let names = options.distance + options.angle + options.difference
        let places = names.compactMap { $0.place(in: topology, context) }
        guard places.count == names.count else { return nil }
        if let again = places.indices.first(where: { places[..<$0].contains(places[$0]) }) {
            context.decoding.findings.error(
                "measure.landmarks", "\"\(names[again].name)\" is in the measure twice",
                at: names[again].span ?? context.node?.span, path: context.decoding.path,
                help: "name landmarks that differ")
            return nil
        }
        switch (options.distance.count, options.angle.count, options.difference.count) {
        case (2, 0, 0): form = .distance(places[0], places[1])
        case (0, 3, 0): form = .angle(places[0], places[1], places[2])
        case (0, 0, 2): form = .difference(places[0], places[1], options.axis)
        default:
            context.report(.error, "measure.kind", "a measure is one of distance, angle and difference")
            return nil
        }
        unit = options.per
        palm = options.per == .palm ? topology.palm ?? [] : []
        if options.per == .palm, palm.isEmpty {
            context.report(
                .error, "measure.no_palm",
                "\(topology.identifier) has no palm: the wrist and the knuckles of four fingers",
                help: "write per: box or per: none")
        }
    }

    /// Returns the measured value of landmarks of the topology, or `nil` if the palm, the box or a side of the angle has no extent.
    ///
    /// - Parameter usesDepth: Whether z is as reliable as x and y.
    func value(_ points: [Landmarks.Point], _ usesDepth: Bool) -> Double? {
        let raw: Double
        switch form {
        case .distance(let a, let b): raw = points[a].distance(to: points[b], usesDepth)
        case .angle(let a, let b, let c): return points[b].angle(from: points[a], to: points[c], usesDepth)
        case .difference(let a, let b, .x): raw = points[a].x - points[b].x
        case .difference(let a, let b, .y): raw = points[a].y - points[b].y
        case .difference(let a, let b, .z): raw = points[a].z - points[b].z
        }
        let size: Double
        switch unit {
        case .none: return raw
        case .palm: size = points.extent(of: palm, usesDepth)
        case .box: size = points.boxSize
        }
        return size > 0 ? raw / size : nil
    }
}
