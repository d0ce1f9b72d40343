import Connectors
import Pipeline
import PipelineComponents
import PipelineConfiguration

/// Records a run: its configuration, the files that its stages and sinks read, the frames of its sources and asynchronous stages,
/// its drops, and the frames that its sinks receive.
struct RunRecorder {
    private let recording: RunRecording
    private var values: [(String, String)]

    /// Creates the recording's file, and stores the configuration and its files.
    ///
    /// - Throws: A usage error if the configuration cannot be stored; an environment error if the file cannot be written.
    init(
        _ path: String, _ loaded: LoadedConfiguration, overrides: [String], clock: any RunClock,
        _ tool: CommandLineTool
    ) throws {
        let kept = try Self.kept(loaded)
        recording = try RunRecording(path, clock)
        values = [(tool.name, tool.version), ("name", loaded.plan.name), ("mode", loaded.plan.mode.rawValue)]
        values += overrides.map { ("set", $0) }
        for (name, bytes) in kept {
            try recording.keep(name, name.hasSuffix(".yaml") ? "application/yaml" : "application/octet-stream", bytes)
            values.append(("file \(name)", SHA256.hex(bytes)))
        }
    }

    /// The name under which the configuration is stored.
    static let configuration = "pipeline.yaml"

    /// Returns the files to store: the configuration, and the files that its stages and sinks read. In the configuration, the
    /// paths of these files are replaced by their paths in the recording. Files that sources read are not stored, because the
    /// frames are recorded. Files with secrets are not stored, because a replay opens no sockets.
    private static func kept(_ loaded: LoadedConfiguration) throws -> [(name: String, bytes: [UInt8])] {
        guard let text = loaded.text else { return [] }
        let sources = Set(loaded.plan.nodes.filter(\.edges.isEmpty).map(\.id))
        var files: [(name: String, bytes: [UInt8])] = []
        var changes: [(place: Range<Int>, path: String)] = []
        for use in loaded.files where use.purpose == .input && !use.isSecret && !sources.contains(use.owner) {
            guard let span = use.span, span.file == text.file else {
                throw UsageError(
                    "--record cannot store a file that --set names", help: "name the file in the configuration")
            }
            // A block scalar includes the line break after it, which stays.
            var place = text.range(of: span)
            while text.scalars[place].last?.properties.isWhitespace == true {
                place = place.lowerBound..<place.upperBound - 1
            }
            // Components that name a file by the same alias share its place in the text.
            if changes.contains(where: { $0.place == place }) { continue }
            let paths = use.paths()
            guard let path = paths.first, paths.count == 1, !OutputFile.isFolder(path) else {
                throw UsageError("--record cannot store the input of \"\(use.owner)\"", help: "name a single file")
            }
            let name = path.split(separator: "/").last.map(String.init) ?? "file"
            files.append(("files/\(changes.count + 1)/\(name)", try WholeFile.read(path, limit: 1 << 30)))
            changes.append((place, files[files.count - 1].name))
        }
        var scalars = text.scalars
        for change in changes.sorted(by: { $0.place.lowerBound > $1.place.lowerBound }) {
            let path = JSONValue.string(change.path.replacing("$", with: "$$")).text(isIndented: false)
            scalars.replaceSubrange(change.place, with: path.unicodeScalars)
        }
        var view = String.UnicodeScalarView()
        view.append(contentsOf: scalars)
        return [(configuration, Array(String(view).utf8))] + files
    }

    /// Returns the plan with recording: its sinks also record the frames that they receive, and added sinks record the output of
    /// its sources and asynchronous stages.
    func recording(_ plan: Plan) throws -> Plan {
        var recorded = plan
        for (place, node) in plan.nodes.enumerated() {
            switch node.body {
            case .stage: break
            case .sink(let sink):
                guard let input = node.input else { continue }
                recorded.nodes[place].body = .sink(try recording.sink(for: input, of: node.id, .result, before: sink))
            case .source, .asyncStage:
                guard let output = node.output else { continue }
                let role: RunRecording.Role = if case .source = node.body { .input } else { .answer }
                recorded.nodes.append(try recorder(of: node.id, Plan.Edge(from: place), output, role))
                guard node.onError == .route,
                    plan.nodes.contains(where: { $0.edges.contains { $0.from == place && $0.port == .errors } })
                else { continue }
                recorded.nodes.append(
                    try recorder(
                        of: node.id, Plan.Edge(from: place, port: .errors), PortType(FailedFrame.self), .failure))
            }
        }
        return recorded
    }

    private func recorder(
        of node: String, _ edge: Plan.Edge, _ type: PortType, _ role: RunRecording.Role
    ) throws -> Plan.Node {
        Plan.Node(
            id: "\(Self.mark)\(role.rawValue) \(node)", component: "record",
            body: .sink(try recording.sink(for: type, of: node, role)), input: type, edges: [edge])
    }

    /// The start of the `id`s of added nodes. No `id` in a configuration contains a space, so these `id`s are unique.
    private static let mark = "record "

    /// The tape of the run: it records the items that each task takes, except the tasks of added nodes.
    var tape: Tape {
        .record { [recording] node, items in
            if !node.hasPrefix(Self.mark) { recording.keep(items, of: node) }
        }
    }

    /// Stores a drop in the recording.
    func note(_ drop: DropRecord) { recording.note(drop) }

    /// Writes the manifest and completes the file.
    ///
    /// - Parameter failures: The failures that ended the run, so that a replay can tell whether it fails in the same way.
    /// - Throws: An environment error if any part of the recording could not be written.
    func finish(_ failures: [RunReport.Failure]) throws {
        let ends = failures.map { (RecordedFailure.key, RecordedFailure($0).manifest) }
        do { try recording.finish(values + ends) } catch {
            throw PipelineError(wrapping: error).located(in: "--record")
        }
    }

    /// Requested when the recording cannot be written.
    var hasFailed: StopSignal { recording.hasFailed }
}
