import Pipeline
import PipelineComponents
import Stages

/// A live pipeline that runs over recordings in simulated time. The delivered and dropped frames are the same on every machine, and
/// the run is as fast as the processor allows.
///
/// ```swift
/// let simulation = try Simulation(of: plan, inputs: [.init(path: "session.jsonl")], serviceTimes: ["match": 8_000_000])
/// let report = await Run(simulation.plan, options: simulation.options()).finished()
/// ```
///
/// The recordings replace live sources, and stages that send requests to other programs (`zmq_request`). A recording of such a
/// stage's output supplies its answers: the answers to a frame are the recorded frames with the same stream and timestamp. Only
/// standard output is written. Other sinks are replaced, so that a simulation neither overwrites the recording that it reads nor
/// contacts other programs. Components take no time, except as given by `serviceTimes`.
public struct Simulation: Sendable {
    /// A recording, and the source or requesting stage that it replaces.
    public struct Input: Sendable, Equatable {
        /// The `id` of the source; `nil` for every live source that no other input names.
        public var source: String?

        /// The path of the recording, which is JSON Lines or MCAP.
        public var path: String

        /// Creates an input from a recording and a source.
        public init(source: String? = nil, path: String) {
            self.source = source
            self.path = path
        }
    }

    /// The pipeline in which recordings replace the sources, and in which all sinks but standard output write nothing.
    public let plan: Plan

    /// The time that components take for a frame, in nanoseconds, by `id`.
    public let serviceTimes: [String: Int64]

    /// Notes about the recordings that the user should see, one line each.
    public let notes: [String]

    /// Creates a simulation of a live pipeline over recordings.
    ///
    /// - Throws: A configuration error if the pipeline is not live, or if an input or service time names an unknown source or
    ///   component. Also a configuration error if a live source has no recording, or if the frames of a recording could belong to
    ///   several sources. An environment error if a recording cannot be read.
    public init(of plan: Plan, inputs: [Input], serviceTimes: [String: Int64] = [:]) throws {
        guard plan.mode == .live else {
            throw PipelineError(
                .configuration, "simulate.not_live", "\(plan.name) is not a live pipeline, so nothing depends on time",
                help: "mode: live in the configuration; without --simulate a batch run is the same on every machine")
        }
        try Self.checkServiceTimes(serviceTimes, plan)
        var (simulated, others) = (plan, inputs)
        try Self.answer(&simulated, &others)
        let assigned = try Self.assign(others, plan)
        var recordings: [String: Recording] = [:]
        for (_, path) in assigned where recordings[path] == nil {
            recordings[path] = try Recording(readingFrom: path, among: plan.kinds)
        }
        try Self.checkShared(assigned, plan)
        let parts = try Self.parts(of: recordings)
        for (source, path) in assigned {
            guard let recording = recordings[path], let node = plan.nodes.first(where: { $0.id == source }) else {
                continue
            }
            let origin = recordings.values.filter { $0.arrivals == recording.arrivals }.map(\.firstArrival).min()
            let sharing = assigned.filter { $0.path == path && $0.source != source }.map(\.source)
            let others = plan.nodes.filter { sharing.contains($0.id) }.compactMap { node in
                node.output.flatMap(PayloadKind.init(of:))
            }
            simulated = try simulated.replacing(
                source,
                source: Self.source(
                    for: node, recording, parts[path] ?? [], origin: origin ?? recording.firstArrival,
                    others: Set(others)))
        }
        self.plan = simulated.replacingSinks { node, sink in
            node.component == StdoutSink.manifest.name ? nil : Self.silent(sink)
        }
        self.serviceTimes = serviceTimes
        notes = recordings.keys.sorted().flatMap { path in
            var notes: [String] = []
            if recordings[path]?.arrivals == .timestamp {
                notes.append("\(path) has no times of receipt (recv_us): frames arrive at their own timestamps")
            }
            if let later = parts[path]?.dropFirst(), !later.isEmpty {
                let places = later.prefix(5).map { String($0.firstLine) }.joined(separator: ", ")
                let lines = later.count == 1 ? "line \(places)" : "lines \(places)\(later.count > 5 ? ", …" : "")"
                notes.append(
                    "the times of \(path) go back, or forward by more than 24 hours, on \(lines); it goes on there a second after "
                        + "the frame before")
            }
            return notes
        }
    }

    /// Returns options for a run of the simulation: a virtual clock and the service times.
    public func options() -> Run.Options {
        var options = Run.Options()
        options.clock = VirtualClock()
        options.serviceTimes = serviceTimes
        return options
    }

    // MARK: Checks

    private static func checkServiceTimes(_ times: [String: Int64], _ plan: Plan) throws {
        for id in times.keys.sorted() {
            guard let node = plan.nodes.first(where: { $0.id == id }) else {
                throw PipelineError(
                    .configuration, "simulate.no_such_component", "no stage or sink is called \"\(id)\"",
                    help: suggestion(
                        for: id, among: plan.nodes.filter { !$0.edges.isEmpty }.map(\.id), list: "stages and sinks"))
            }
            guard !node.edges.isEmpty else {
                throw PipelineError(
                    .configuration, "simulate.source_time", "\"\(id)\" is a source, and takes no time for a frame",
                    help: "its frames arrive at the times in the recording")
            }
        }
    }

    /// Replaces the stages that send requests to other programs with recorded answers, and removes the recordings of these answers
    /// from `inputs`.
    private static func answer(_ plan: inout Plan, _ inputs: inout [Input]) throws {
        for index in plan.nodes.indices {
            guard case .asyncStage(let stage) = plan.nodes[index].body, let asker = stage as? any ExternalRequestStage
            else {
                continue
            }
            let id = plan.nodes[index].id
            let paths = inputs.filter { $0.source == id }.map(\.path)
            guard let path = paths.first else { throw PipelineError.sendsExternalRequests(id) }
            guard paths.count == 1 else {
                throw PipelineError(
                    .configuration, "simulate.twice", "\"\(id)\" has two recordings", help: "give it one")
            }
            inputs.removeAll { $0.source == id }
            plan.nodes[index].body = .asyncStage(
                asker.answered(by: try Recording(readingFrom: path, among: plan.kinds)))
        }
    }

    /// Assigns recordings to sources, in the order of the graph.
    private static func assign(_ inputs: [Input], _ plan: Plan) throws -> [(source: String, path: String)] {
        var paths: [String: String] = [:]
        let sources = plan.nodes.filter(\.edges.isEmpty)
        for case let input in inputs where input.source != nil {
            guard let id = input.source else { continue }
            guard sources.contains(where: { $0.id == id }) else {
                throw PipelineError(
                    .configuration, "simulate.no_such_source", "no source is called \"\(id)\"",
                    help: suggestion(for: id, among: sources.map(\.id), list: "sources"))
            }
            guard paths.updateValue(input.path, forKey: id) == nil else {
                throw PipelineError(
                    .configuration, "simulate.twice", "\"\(id)\" has two recordings", help: "give each source one")
            }
        }
        let others = inputs.filter { $0.source == nil }
        guard others.count < 2 else {
            throw PipelineError(
                .configuration, "simulate.twice", "two recordings, and neither names its source",
                help: "name the source of each: \(sources.first?.id ?? "camera")=\(others[0].path)")
        }
        let live = sources.filter { paths[$0.id] == nil && $0.isLiveSource }
        if let path = others.first?.path {
            guard !live.isEmpty else {
                throw PipelineError(
                    .configuration, "simulate.no_live_source",
                    "\(plan.name) has no live source that \(path) could stand for",
                    help: "name the source: \(sources.first?.id ?? "camera")=\(path)")
            }
            for source in live { paths[source.id] = path }
        } else if let missing = live.first {
            throw PipelineError(
                .configuration, "simulate.no_recording", "there is no recording for the live source \"\(missing.id)\"",
                help: "give it one: \(missing.id)=FILE")
        }
        return sources.compactMap { source in paths[source.id].map { (source.id, $0) } }
    }

    /// Checks that sources that share a recording have different kinds. Otherwise, it is unknown which source a frame belongs to.
    private static func checkShared(_ assigned: [(source: String, path: String)], _ plan: Plan) throws {
        var owners: [String: String] = [:]
        for (source, path) in assigned {
            let kind = plan.nodes.first { $0.id == source }?.output?.kind.rawValue ?? ""
            guard let other = owners.updateValue(source, forKey: "\(kind) \(path)") else { continue }
            throw PipelineError(
                .configuration, "simulate.ambiguous",
                "\"\(other)\" and \"\(source)\" both emit \(kind), and \(path) does not tell their frames apart",
                help: "record each on its own, and name them: \(other)=FILE and \(source)=FILE")
        }
    }

    // MARK: Making

    /// Returns the sessions of the recordings with their time shifts, by path. Recordings with the same clock are assumed to be
    /// from the same runs.
    private static func parts(of recordings: [String: Recording]) throws -> [String: [SessionOfRecording]] {
        var parts: [String: [SessionOfRecording]] = [:]
        for clock in [Recording.Arrivals.receipt, .timestamp, .log] {
            let paths = recordings.keys.filter { recordings[$0]?.arrivals == clock }.sorted()
            let sessions = try paths.map { try recordings[$0]?.sessions() ?? [] }
            for (path, (sessions, shifts)) in zip(paths, zip(sessions, Recording.shifts(of: sessions))) {
                parts[path] = zip(sessions, shifts).map { SessionOfRecording(firstLine: $0.firstLine, shift: $1) }
            }
        }
        return parts
    }

    private static func source(
        for node: Plan.Node, _ recording: Recording, _ sessions: [SessionOfRecording], origin: Int64,
        others: Set<PayloadKind>
    ) throws -> any Source {
        guard let output = node.output, let kind = PayloadKind(of: output) else {
            throw PipelineError(
                .configuration, "simulate.kind", "\"\(node.id)\" emits frames that a recording cannot hold")
        }
        guard !others.isEmpty || recording.kind == nil || recording.kind == kind else {
            throw PipelineError(
                .configuration, "simulate.kind",
                "\"\(node.id)\" emits \(kind.name), and \(recording.path) holds \(recording.kind?.name ?? "")",
                help: "a file sink with from: \(node.id) makes a recording of it")
        }
        return kind.source(
            Maker(
                recording: recording, sessions: sessions, origin: origin, others: others,
                defaultStream: StreamID(node.id)))
    }

    struct Maker: SourceMaker {
        let recording: Recording
        let sessions: [SessionOfRecording]
        let origin: Int64
        let others: Set<PayloadKind>
        let defaultStream: StreamID

        func make<P: WirePayload>(_ payload: P.Type) -> CompiledSource<P> {
            CompiledSource(
                RecordedArrivals<P>(
                    recording, sessions: sessions, origin: origin, others: others, defaultStream: defaultStream))
        }
    }

    /// Returns a sink that writes nothing, and that replaces the given sink in the graph.
    private static func silent<S: Sink>(_ sink: S) -> any Sink { Nothing<S.Input>(mayBlock: sink.mayBlock) }
}

extension Plan.Node {
    /// Whether this node is a source of live input.
    fileprivate var isLiveSource: Bool {
        if case .source(let source, _) = body { source.timing == .live } else { false }
    }
}
