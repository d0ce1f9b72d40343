import MCAP
import Pipeline
import Stages

/// A source that replays the frames that a node emitted in a recorded run. In a live run, each frame is emitted when it is due on
/// the run's clock. In a batch run, frames are emitted in recorded order, as fast as possible.
package struct RunRecordingArrivals<P: WirePayload>: Source {
    package typealias Output = P

    private let path: String
    private let node: String
    private let origin: UInt64
    package let timing: SourceTiming
    package let output: PortType
    private var context: SourceContext?
    private var frames: MCAPFrames<P>?
    /// The beginning of the run, in nanoseconds of the run's clock.
    private var begin: Int64 = 0
    /// The next frame, and its due time on the run's clock in nanoseconds.
    private var held: (frame: Frame<P>, moment: Int64)?

    package var mayBlock: Bool { true }

    /// Creates a replay of the frames that `node` emitted.
    ///
    /// - Parameter origin: The log time that corresponds to the beginning of the run, in nanoseconds.
    fileprivate init(_ path: String, _ node: String, origin: UInt64, timing: SourceTiming, output: PortType) {
        (self.path, self.node, self.origin) = (path, node, origin)
        (self.timing, self.output) = (timing, output)
    }

    package mutating func open(_ context: SourceContext) async throws {
        self.context = context
        begin = context.clock.now
        let node = node
        frames = try MCAPFrames(
            FileInput(descriptor: try SystemCalls.openToRead(path)),
            .init(
                origins: FileOrigins(file: path), decode: DecodeOptions(),
                defaultStream: StreamID(node), landmarks: LandmarkTraits(),
                isWanted: { channel in
                    let known = RunRecording.role(of: channel)
                    return known?.role.isFromOutside == true && known?.node == node
                }, readsAnswers: true, log: context.log))
    }

    package mutating func read(into batch: inout SourceBatch<P>) async throws -> Bool {
        guard let context, let frames else { return false }
        while !batch.isFull, !context.stop.isRequested {
            if let next = held {
                if timing == .live, next.moment > context.clock.now {
                    if !batch.isEmpty { return true }
                    try await context.clock.sleep(until: next.moment)
                    continue
                }
                held = nil
                batch.append(next.frame)
                continue
            }
            let item: ReadItem<P>?
            do { item = try frames.next() } catch { throw error.reading(path) }
            switch item {
            case .frame(let frame):
                let elapsed = Int64(clamping: frames.logTime.subtractingSaturated(origin))
                held = (frame, begin.addingSaturated(elapsed))
            case .empty(let stream, let time, let number):
                batch.drop(stream: stream, at: time, sequence: number, .empty)
            case .failure(let error, let stream): batch.fail(error, stream: stream)
            case .end(let stream, let end): batch.append(.end(stream, end))
            case nil: return false
            }
        }
        return !context.stop.isRequested
    }

    package mutating func close() async { frames = nil }
}

extension Plan {
    /// Returns a copy of the pipeline in which recorded input replaces the sources and the asynchronous stages. Asynchronous stages
    /// are replaced because they send requests to other programs.
    ///
    /// - Parameter origin: The log time that corresponds to the beginning of the run, in nanoseconds.
    /// - Throws: A configuration error for a node whose frames cannot be recorded.
    package func replaying(_ path: String, origin: UInt64) throws -> Plan {
        var plan = self
        plan.nodes = []
        // The new index of each node, and the index of the source that replays the failures of a replaced node.
        var places: [Int] = []
        var failures: [Int: Int] = [:]
        for (old, node) in nodes.enumerated() {
            var node = node
            for index in node.edges.indices {
                let edge = node.edges[index]
                node.edges[index].from = places[edge.from]
                guard edge.port == .errors, let place = failures[edge.from] else { continue }
                (node.edges[index].from, node.edges[index].port) = (place, .output)
            }
            if let outside = try node.replayed(path, origin: origin, in: mode) {
                if !node.edges.isEmpty, let input = node.input {
                    plan.nodes.append(
                        Node(
                            id: "asked \(node.id)", component: "discard", body: .sink(Discard.make(input)),
                            input: input,
                            edges: node.edges))
                    node.edges = []
                    node.input = nil
                }
                node.body = .source(outside, SourceRules(onDisorder: .newEpoch, maxJump: .max))
                if node.onError == .route,
                    nodes.contains(where: { $0.edges.contains { $0.from == old && $0.port == .errors } })
                {
                    failures[old] = plan.nodes.count
                    plan.nodes.append(
                        Node(
                            id: "refused \(node.id)", component: "record",
                            body: .source(
                                RunRecordingFailures(
                                    path, node.id, origin: origin, timing: outside.timing, kinds: kinds),
                                SourceRules(onDisorder: .newEpoch, maxJump: .max)), output: PortType(FailedFrame.self)))
                    node.onError = .skip
                }
            }
            places.append(plan.nodes.count)
            plan.nodes.append(node)
        }
        return plan
    }
}

extension Plan.Node {
    /// Returns the source that replays the frames of this node, or `nil` if the node gets no input from outside the run.
    fileprivate func replayed(_ path: String, origin: UInt64, in mode: Mode) throws -> (any Source)? {
        let timing: SourceTiming
        switch body {
        case .source(let source, _): timing = source.timing
        case .asyncStage: timing = mode == .live ? .live : .recorded
        case .stage, .sink: return nil
        }
        guard let output, let kind = PayloadKind(of: output) else {
            throw PipelineError(.configuration, "replay.kind", "\"\(id)\" emits frames that a recording cannot hold")
        }
        return kind.source(BoxMaker(path: path, node: id, origin: origin, timing: timing, output: output))
    }
}

struct BoxMaker: SourceMaker {
    let path: String
    let node: String
    let origin: UInt64
    let timing: SourceTiming
    let output: PortType

    func make<P: WirePayload>(_ payload: P.Type) -> CompiledSource<P> {
        CompiledSource(RunRecordingArrivals<P>(path, node, origin: origin, timing: timing, output: output))
    }
}
