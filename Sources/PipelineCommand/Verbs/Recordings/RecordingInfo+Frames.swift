import Connectors
import Pipeline
import PipelineComponents
import Synchronization

extension RecordingInfo {
    /// Returns the contents of a file of frames that is not MCAP. Reads the whole file.
    static func ofFrames(
        _ path: String, _ invocation: Invocation, _ console: Console
    ) async throws -> RecordingInfo {
        var options = FileSource.Options()
        options.path = FilePath(path)
        options.kind = try RecordingFlags.kind(of: [path], invocation)
        let others = OtherKinds(invocation.kinds)
        let source = FileSource.make(options, BuildContext(id: path), nil, others: others)
        let counter = FrameCounter()
        let failures = FailureCounter()
        let sink = try CountingSinkMaker(counter: counter).sink(for: source.output)
        let plan = Plan(
            name: path,
            nodes: [
                Plan.Node(
                    id: path, component: "file", body: .source(source, SourceRules.ofRecordings),
                    output: source.output, onError: .route),
                Plan.Node(
                    id: "info", component: "info", body: .sink(sink), input: source.output, edges: [Plan.Edge(from: 0)]),
                Plan.Node(
                    id: "failures", component: "info", body: .sink(FailureSink(failures: failures)),
                    input: PortType(FailedFrame.self), edges: [Plan.Edge(from: 0, port: .errors)]),
            ])
        let run = Run(plan, options: Run.Options())
        let report = await ProgressReporter(measure: { RunProgress.measure(run) }, console: console).during {
            await run.finished()
        }
        if let failure = report.failures.first { throw failure.error }
        var info = RecordingInfo(path: path, format: "", size: 0)
        info.describe(try FoundFiles(path))
        counter.fill(&info, kind: options.kind.name)
        info.notes = others.counts.map {
            (name: "other kind", value: "\($0.kind), \(Counted.text($0.messages, "message"))")
        }
        info.problem = failures.problem
        if info.isUnreadable { info.suggestion = SenderSurvey.suggestion(forFile: path, among: invocation.kinds) }
        if info.isUnreadable, info.suggestion == nil, let remedy = SenderSurvey.remedy(forFile: path) {
            info.notes.append((name: "remedy", value: remedy))
        }
        return info
    }

    private mutating func describe(_ files: FoundFiles) {
        let formats = files.formats.map { format in
            switch format {
            case .auto, .jsonl: "JSON Lines"
            case .msgpack: "MessagePack"
            case .csv: "CSV"
            case .xml: "gesture XML"
            case .pbtxt: "protobuf text"
            case .openpose: "OpenPose JSON"
            case .mcap: "MCAP"
            }
        }
        format = (formats + files.compressions.map(\.rawValue)).joined(separator: ", ")
        size = files.bytes
    }
}

/// Counts the frames of a run by stream.
final class FrameCounter: Sendable {
    private struct State {
        var counts: [StreamID: Int64] = [:]
        var times: ClosedRange<Int64>?
    }

    private let state = Lock(State())

    func count(_ stream: StreamID, at time: Timestamp) {
        state.withLock {
            $0.counts[stream, default: 0] += 1
            let time = time.rawValue
            $0.times = min($0.times?.lowerBound ?? time, time)...max($0.times?.upperBound ?? time, time)
        }
    }

    func fill(_ info: inout RecordingInfo, kind: String) {
        state.withLock { state in
            info.streams = state.counts.sorted { $0.key.name < $1.key.name }.map {
                RecordingInfo.Stream(name: $0.key.name, kind: kind, encoding: "", messages: $0.value)
            }
            info.times = state.times.map {
                ($0.lowerBound.multipliedSaturated(by: 1000))...($0.upperBound.multipliedSaturated(by: 1000))
            }
        }
    }
}

private struct CountingSinkMaker: SinkMaker {
    let counter: FrameCounter

    func make<P: WireEncodable>(_ payload: P.Type) -> CompiledSink<P> {
        CompiledSink(CountingSink<P>(counter: counter))
    }
}

private struct CountingSink<P: Payload>: Sink {
    typealias Input = P
    let counter: FrameCounter
    var mayBlock: Bool { false }
    mutating func write(_ frame: Frame<P>) { counter.count(frame.stream, at: frame.timestamp) }
}

/// Counts the messages that cannot be read, and keeps the first error.
private final class FailureCounter: Sendable {
    private let state = Lock((count: 0, first: nil as PipelineError?))

    func add(_ error: PipelineError) { state.withLock { $0 = ($0.count + 1, $0.first ?? error) } }

    /// What could not be read, and where the first of it is; `nil` if everything was read.
    var problem: String? {
        let (count, first) = state.withLock { $0 }
        return first.map {
            "\(Counted.text(count, "message")) could not be read\(count > 1 ? "; the first" : ""): \($0)"
        }
    }
}

private struct FailureSink: Sink {
    typealias Input = FailedFrame
    let failures: FailureCounter
    var mayBlock: Bool { false }
    mutating func write(_ frame: Frame<FailedFrame>) { failures.add(frame.payload.error) }
}
