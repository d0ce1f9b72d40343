import MCAP
import Pipeline
import PipelineComponents
import Stages

extension Simulation {
    /// Creates a simulation that only replays a recording: one source for each kind of frame in it, and no stages.
    ///
    /// - Throws: An environment error if the file cannot be read or is not a recording.
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
                    // If the file contains several sessions, the streams start a new epoch with each of them.
                    body: .source(source, .ofRecordings), output: source.output,
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

    /// Creates a simulation of any pipeline over a recording. The recording replaces the source that the input names, or else all
    /// live sources. A batch pipeline is run in live mode, and all of its sources count as live.
    ///
    /// - Throws: The errors of ``init(of:inputs:serviceTimes:)``.
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

    /// Returns the kinds of frames in a recording, in the order of `kinds`. Returns strokes if the recording declares no kind.
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
                // Skips unreadable lines. The source that reads the frames reports them later.
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
