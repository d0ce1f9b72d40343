import Pipeline
import PipelineComponents

/// A landmark or a group of landmarks, as named in a configuration: `thumbTip`, `THUMB_TIP`, `4`, `indexFinger`.
public struct LandmarkName: OptionValue, ExpressibleByStringLiteral {
    /// The name.
    public var name: String

    private(set) var span: SourceSpan?

    /// Creates a name of a landmark or a group.
    public init(_ name: String) { self.name = name }

    public init(stringLiteral value: String) { name = value }

    public static var schema: ValueSchema { .string }
    public var yaml: String? { name }

    public static func decode(_ node: ConfigNode, _ context: DecodingContext) -> LandmarkName? {
        guard let text = String.decode(node, context) else { return nil }
        var name = LandmarkName(text)
        name.span = node.span
        return name
    }

    /// Returns the indices of the named landmarks in a topology. Reports an unknown name and returns `nil`.
    func places(in topology: Topology, _ context: BuildContext) -> [Int]? {
        if let places = topology.places(of: name) { return places }
        let names = topology.names
        let near = nearestName(to: name, among: names)
        context.decoding.findings.error(
            "landmarks.unknown", "\(topology.identifier) has no landmark or group \"\(name)\"",
            at: span ?? context.node?.span, path: context.decoding.path,
            help: suggestion(for: name, among: names, list: "it has"),
            fix: near.flatMap { near in span.map { .init(title: "write \(near)", span: $0, replacement: near) } })
        return nil
    }

    /// Returns the index of a single landmark. Reports a group or an unknown name and returns `nil`.
    func place(in topology: Topology, _ context: BuildContext) -> Int? {
        guard let places = places(in: topology, context) else { return nil }
        if let place = places.first, places.count == 1 { return place }
        context.decoding.findings.error(
            "landmarks.group", "\"\(name)\" is a group of \(places.count) landmarks, but a single landmark is needed",
            at: span ?? context.node?.span, path: context.decoding.path,
            help: "name one of \(shortList(places.map { topology.points[$0] }))")
        return nil
    }
}

extension [LandmarkName] {
    /// Returns the indices of the named landmarks, in the order of the names and without duplicates. Reports unknown names.
    func places(in topology: Topology, _ context: BuildContext) -> [Int] {
        var places: [Int] = []
        for name in self {
            for place in name.places(in: topology, context) ?? [] where !places.contains(place) { places.append(place) }
        }
        return places
    }
}

extension BuildContext {
    /// Creates a stage for use without a configuration. If there are findings that are errors, throws the first of them.
    static func made<S>(_ body: (BuildContext) throws -> S) throws -> S {
        let context = BuildContext()
        let stage = try body(context)
        guard let found = context.decoding.findings.diagnostics.first(where: { $0.severity == .error }) else {
            return stage
        }
        throw PipelineError(.configuration, found.code, found.message, help: found.help)
    }
}
