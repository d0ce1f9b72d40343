import Connectors
import Pipeline
import Stages

// Frames can come from anywhere: every asynchronous sequence of frames is a source.
func drawn(_ count: Int) -> AsyncStream<Frame<Stroke>> {
    AsyncStream { continuation in
        for number in 0..<count {
            let samples = (0..<20).map { Sample(x: Double($0), y: Double($0 * number), t: Double($0) * 10_000) }
            let stroke = Stroke(samples: samples, fields: .time, label: "line")
            continuation.yield(
                Frame(stroke, at: .milliseconds(Int64(number + 1) * 500), stream: "pen", sequence: Int64(number)))
        }
        continuation.finish()
    }
}

// 1. Stages on a sequence, without a configuration.
for try await frame in drawn(2).through(Resample(points: 16)).through(Normalize()).through(Vectorize()) {
    print(frame.timestamp, frame.payload.values.count)
}

// 2. A graph: several results from one source, and the ledger at the end.
let graph = Graph()
let strokes = graph.source(drawn(2))
let resampled = strokes.through(Resample(points: 16))
let vectors = resampled.through(Normalize()).through(Vectorize())
let (shapes, features) = (try resampled.results(), try vectors.results())
for try await frame in shapes { print(frame.timestamp, frame.payload.samples.count) }
for try await frame in features { print(frame.timestamp, frame.payload.values.count) }
print(try await graph.report().ledger.nodes.map { "\($0.id): \($0.received) in, \($0.emitted) out" })

// 3. A pipeline from YAML, with its input from Swift and its results in Swift.
let plan = try Plan(
    text: """
        version: 1
        sources:
          - stdin: { id: pen }
        stages:
          - resample: { points: 8 }
        sinks:
          - discard
        """)
let results = try Graph(plan.replacing("pen", with: drawn(3))).flow(of: "resample", as: Stroke.self)
for try await frame in results { print(frame.timestamp, frame.payload.samples.count) }
print(try await results.report().isSuccess)

do {
    _ = try Plan(text: "version: 1\nstages:\n  - resampel\n")
} catch {
    print(error)  // Prints every finding, with its line and remedy.
}

// 4. Live input: while the pipeline is busy, only the newest frame waits. Older frames are dropped and counted.
let live = drawn(100).through(Resample(points: 16), busy: .dropOldest)
var count = 0
for try await _ in live { count += 1 }
let dropped = try await live.report().ledger.edges.flatMap(\.dropped.values).reduce(0, +)
print(count + Int(dropped))

// 5. Frame by frame: each call recognizes one stroke on its own.
let chain = StageChain(Resample(points: 16)).through(Normalize()).through(Vectorize())
let stroke = Stroke(samples: (0..<20).map { Sample(x: Double($0), y: Double($0 * $0), t: Double($0) * 10_000) })
let single = try Recognizer(chain)
print(try single.recognize(stroke).payloads.map(\.values.count))

// 6. Live recognition: calls return at once, and a delegate receives the results.
final class Printer: RecognizerDelegate {
    func recognizer(
        _ recognizer: Recognizer<Stroke, FeatureVector>, didFinish result: RecognizerResult<FeatureVector>,
        timestamp: Timestamp, error: PipelineError?
    ) {
        print(timestamp, error?.description ?? "\(result.payloads.count) vectors, \(result.gap) frames missing before")
    }
}

let printer = Printer()
var options = Recognizer<Stroke, FeatureVector>.Options()
options.runningMode = .live
options.delegate = printer
let recognizer = try Recognizer(chain, options: options)
for number in 1...3 {
    switch try recognizer.recognizeAsync(stroke, timestampMilliseconds: Int64(number) * 10, stream: "pen") {
    case .accepted: break
    case .dropped(let reason): print("dropped at once: \(reason)")
    }
}
let report = try await recognizer.close()
print(report.isSuccess)
