import Pipeline

/// The structure of a set of landmarks: their order, names and groups.
///
/// An identifier represents the topology in configurations, on the wire, and in ``Landmarks/topology``. The identifiers of standard
/// topologies are single words (`hand21`). All others list their points in parentheses: `tool(tip,middle,end)` is a custom
/// topology, and `hand21(wrist,thumbTip)` is a part of a standard one, which keeps its names and groups.
public struct Topology: Hashable, Sendable {
    /// A named group of points.
    public struct Group: Hashable, Sendable {
        /// The name: `thumb`.
        public let name: String

        /// The indices of the points.
        public let indices: [Int]
    }

    /// The identifier: `hand21`, `tool(tip,end)`.
    public let identifier: String

    /// The identifier without the parentheses.
    public let name: String

    /// The names of the points, in order.
    public let points: [String]

    /// The groups. The last one is always `all`.
    public let groups: [Group]

    /// Alternative names of the points, in order; empty if there are none.
    public let otherNames: [String]

    private let placesByName: [String: Int]

    init(_ name: String, points: [String], otherNames: [String] = [], groups: [Group] = [], isWhole: Bool) {
        self.name = name
        self.points = points
        self.otherNames = otherNames
        identifier = isWhole ? name : "\(name)(\(points.joined(separator: ",")))"
        self.groups = groups + [Group(name: "all", indices: Array(points.indices))]
        var table: [String: Int] = [:]
        for (place, name) in otherNames.enumerated() { table[name] = place }
        for (place, name) in points.enumerated() { table[name] = place }
        placesByName = table
    }

    /// Creates the topology with an identifier. O(points).
    ///
    /// - Throws: A configuration error (`topology.unknown`, `topology.points`) that describes the problem.
    public init(identifier: String) throws(PipelineError) {
        guard let open = identifier.firstIndex(of: "(") else {
            guard let known = Self.standard.first(where: { $0.name == identifier }) else {
                throw Self.unknown(identifier)
            }
            self = known
            return
        }
        let name = String(identifier[..<open].filter { $0 != " " })
        let inside = identifier[identifier.index(after: open)...]
        guard !name.isEmpty, inside.last == ")" else {
            throw Self.wrong("a topology of your own is written NAME(POINT, POINT, …)")
        }
        let points = inside.dropLast().split(separator: ",", omittingEmptySubsequences: false)
            .map { String($0.filter { $0 != " " }) }
        guard !points.contains(where: { $0.isEmpty || $0.contains("(") || $0.contains(")") }) else {
            throw Self.wrong("a point of \"\(name)\" has no name")
        }
        guard Set(points).count == points.count else { throw Self.wrong("a point of \"\(name)\" occurs twice") }
        guard let base = Self.standard.first(where: { $0.name == name }) else {
            self.init(name, points: points, isWhole: false)
            return
        }
        var places: [Int] = []
        for point in points {
            guard let place = base.place(of: point) else { throw Self.wrong("\(name) has no landmark \"\(point)\"") }
            places.append(place)
        }
        self = base.part(places)
    }

    private static func unknown(_ identifier: String) -> PipelineError {
        let names = standard.map(\.name)
        return PipelineError(
            .configuration, "topology.unknown", "no topology is called \"\(identifier)\"",
            help: (suggestion(for: identifier, among: names, list: "there are") ?? "")
                + "; a topology of your own lists its points: \(identifier)(tip, middle, end)")
    }

    private static func wrong(_ message: String) -> PipelineError {
        PipelineError(.configuration, "topology.points", message)
    }

    /// Returns the index of a landmark by one of its names, or by its number if the names are not numbers. O(1).
    public func place(of name: String) -> Int? {
        if let place = placesByName[name] { return place }
        guard !isNumbered, let number = Int(name), points.indices.contains(number) else { return nil }
        return number
    }

    /// Returns the indices of a landmark or of a group, or `nil` if there is none with this name. O(groups).
    public func places(of name: String) -> [Int]? {
        if let place = place(of: name) { return [place] }
        return groups.first { $0.name == name }?.indices
    }

    /// The names of all points and groups, including alternative names.
    var names: [String] { points + otherNames + groups.map(\.name) }

    /// Returns a topology of some of the points, in the given order. Groups keep their remaining points. O(points).
    public func part(_ places: [Int]) -> Topology {
        let places = places.filter { points.indices.contains($0) }
        guard places != Array(points.indices) else { return self }
        let groups = groups.dropLast().compactMap { group -> Group? in
            let left = places.indices.filter { group.indices.contains(places[$0]) }
            return left.isEmpty ? nil : Group(name: group.name, indices: left)
        }
        return Topology(
            name, points: places.map { points[$0] },
            otherNames: otherNames.isEmpty ? [] : places.map { otherNames[$0] },
            groups: groups, isWhole: false)
    }

    /// Whether the names of the points are numbers, as in `face478`.
    private var isNumbered: Bool { points.first.map { Int($0) != nil } ?? false }
}

extension PortType {
    /// The topology of the incoming landmarks. If unknown, it is `hand21`, the default for messages without a topology.
    var topology: Topology { attributes["topology"].flatMap { try? Topology(identifier: $0) } ?? .hand21 }
}
