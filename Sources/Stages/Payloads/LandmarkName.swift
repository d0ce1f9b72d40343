import Pipeline
import PipelineComponents

/// A landmark or a group of landmarks as a configuration names it: `thumbTip`, `THUMB_TIP`, `4`, `indexFinger`.
public struct LandmarkName: OptionValue, ExpressibleByStringLiteral {
    /// The name.
    public var name: String

    private var span: SourceSpan?

    /// Names a landmark or a group.
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

    /// The places it names in a topology; reports a name that is not there and returns `nil`.
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

    /// The place of a single landmark; reports a group and a name that is not there and returns `nil`.
    func place(in topology: Topology, _ context: BuildContext) -> Int? {
        guard let places = places(in: topology, context) else { return nil }
        if let place = places.first, places.count == 1 { return place }
        context.decoding.findings.error(
            "landmarks.group", "\"\(name)\" is a group of \(places.count) landmarks, and one is wanted",
            at: span ?? context.node?.span, path: context.decoding.path,
            help: "name one of \(shortList(places.map { topology.points[$0] }))")
        return nil
    }
}

extension [LandmarkName] {
    /// The places that they name, in the order named, each once; reports names that are not there.
    func places(in topology: Topology, _ context: BuildContext) -> [Int] {
        var places: [Int] = []
        for name in self {
            for place in name.places(in: topology, context) ?? [] where !places.contains(place) { places.append(place) }
        }
        return places
    }
}

extension BuildContext {
    /// Makes a stage for use without a configuration: what would be a finding is thrown.
    static func made<S>(_ body: (BuildContext) throws -> S) throws -> S {
        let context = BuildContext()
        let stage = try body(context)
        guard let found = context.decoding.findings.diagnostics.first(where: { $0.severity == .error }) else {
            return stage
        }
        throw PipelineError(.configuration, found.code, found.message, help: found.help)
    }
}
