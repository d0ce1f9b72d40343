import Pipeline
import PipelineTesting
import Stages
import Synchronization
import Testing

@testable import Connectors

@Suite("Sinks of a recorded run")
struct RecordedSinkTests {
    @Test("Recorded runs: a sink is told that another process continues with a stream, and does not end that stream")
    func released() async throws {
        let folder = try TemporaryFolder()
        let frames = ["a", "b", "a"].enumerated().map { number, stream in
            Frame(
                Stroke(samples: [Sample(x: 0, y: 0)]), at: .microseconds(Int64(number)), stream: StreamID(stream),
                sequence: Int64(number))
        }
        let probe = CommitProbe(frames, releasing: [2: ["b"]])
        let told = Told()
        let recording = try RunRecording("\(folder.path)/run.mcap", SystemClock())
        func add<S: Sink>(_ sink: S, to plan: inout Plan) { plan.add("out", sink: sink) }
        var plan = Plan.building()
        plan.add("in", source: probe.source)
        add(
            try recording.sink(for: PortType(Stroke.self), of: "out", .result, before: ReleaseSink(told: told)),
            to: &plan)
        let report = await Run(plan).finished()
        #expect(report.violations == [])
        #expect(told.calls.withLock { $0 } == ["write a", "write b", "release b", "write a"])
    }

    @Test(
        "Recorded runs: a source reads the frames of sources or else the results, and only a replay those of asynchronous stages",
        arguments: [
            ([.input, .answer, .result], [.input]), ([.answer, .result], [.result]), ([.answer], []),
        ] as [([RunRecording.Role], [RunRecording.Role])])
    func answers(recorded: [RunRecording.Role], read: [RunRecording.Role]) async throws {
        let folder = try TemporaryFolder()
        let path = "\(folder.path)/run.mcap"
        let recording = try RunRecording(path, SystemClock())
        func add<S: Sink>(_ sink: S, to plan: inout Plan) { plan.add("out", sink: sink) }
        for role in recorded {
            let frame = Frame(
                Stroke(samples: [Sample(x: 0, y: 0)], label: role.rawValue), at: .zero, stream: "pen", sequence: 0)
            var plan = Plan.building()
            plan.add("in", source: FramesSource(items: [.frame(frame), .end("pen")]))
            add(try recording.sink(for: PortType(Stroke.self), of: "\(role)", role), to: &plan)
            #expect(await Run(plan).finished().isSuccess)
        }
        try recording.finish([])
        #expect(try await readStrokes(path).frames.map(\.payload.label) == read.map(\.rawValue))
        #expect(try RecordingKinds.read(path) == (read.isEmpty ? [] : [.stroke]))
        let replay = BoxMaker(
            path: path, node: "answer", origin: 0, timing: .recorded, output: PortType(Stroke.self))
        let replayed = try await drain(replay.make(Stroke.self))
        #expect(replayed.frames.map(\.payload.label) == ["answer"] && replayed.ends == ["pen"])
    }
}

private final class Told: Sendable { let calls = Lock<[String]>([]) }

/// A sink that lists its calls.
private struct ReleaseSink: Sink {
    typealias Input = Stroke

    let told: Told

    private func note(_ call: String, _ stream: StreamID) {
        told.calls.withLock { $0.append("\(call) \(stream.name)") }
    }

    mutating func write(_ frame: Frame<Stroke>) { note("write", frame.stream) }

    mutating func end(_ stream: StreamID) { note("end", stream) }

    mutating func release(_ stream: StreamID) { note("release", stream) }
}
