import MCAP
import Pipeline
import PipelineComponents
import Stages

extension Simulation {
    /// A recording by itself: of each kind that it holds a source, and nothing that its frames go through.
    ///
    /// - Throws: An environment error when it cannot be read, or is no recording.
    package init(showing path: String, among kinds: [PayloadKind]) throws {
        let found = try Self.kinds(in: path, kinds)
        var nodes: [Plan.Node] = []
        for kind in found {
            var options = FileSource.Options()
            (options.path, options.kind) = (FilePath(path), kind)
            let source = FileSource.make(options, BuildContext(id: kind.name), nil)
            nodes += [
                Plan.Node(
                    id: kind.name, component: FileSource.manifest.name,
                    // Sessions that were recorded one behind the other start over.
                    body: .source(source, SourceRules(onDisorder: .newEpoch)), output: source.output,
                    onError: .skip),
                Plan.Node(
                    id: found.count == 1 ? "end" : "end-\(kind.name)", component: Discard.manifest.name,
                    body: .sink(Discard.make(source.output)), input: source.output,
                    edges: [Plan.Edge(from: nodes.count)]),
            ]
        }
        try self.init(
            of: Plan(name: path, mode: .live, nodes: nodes),
            inputs: found.map { Input(source: $0.name, path: path) })
    }

    /// A pipeline, live or not, over a recording that takes the places of its live sources; of one without such, of all its sources.
    ///
    /// - Throws: What ``init(of:inputs:serviceTimes:)`` throws.
    package init(showing input: Input, in plan: Plan) throws {
        guard plan.mode == .batch else {
            try self.init(of: plan, inputs: [input])
            return
        }
        var live = plan
        live.mode = .live
        let sources = input.source.map { [$0] } ?? plan.nodes.filter(\.edges.isEmpty).map(\.id)
        try self.init(of: live, inputs: sources.map { Input(source: $0, path: input.path) })
    }

    /// The kinds of frames that a recording holds, in the order of those it may hold; strokes where it does not say.
    private static func kinds(in path: String, _ kinds: [PayloadKind]) throws -> [PayloadKind] {
        let recording = try Recording(readingFrom: path, among: kinds)
        if recording.arrivals == .log {
            let found = try RecordingKinds.read(path, among: kinds)
            return found.isEmpty ? [.stroke] : found
        }
        let (reader, lines) = (try JSONReader(), try LineReader(opening: path))
        var names: Set<String> = []
        var message = WireMessage()
        do {
            while let line = try lines.next() {
                // A line that cannot be read is an error of its own, later.
                guard case .bytes(let bytes) = line, !bytes.isEmpty, (try? reader.begin(bytes)) != nil,
                    (try? message.read(reader, keys: WireKeys(.kind), keepsUnknown: false)) != nil
                else { continue }
                names.insert(message.value(.kind, message.kind) ?? PayloadKind.stroke.name)
            }
        } catch {
            throw error.reading(path)
        }
        let found = kinds.filter { names.contains($0.name) }
        return found.isEmpty ? [recording.kind ?? .stroke] : found
    }
}
