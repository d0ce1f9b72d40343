import Pipeline
import Stages

// Frames can come from anywhere: any asynchronous sequence of them will do.
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

// 2. A pipeline from YAML, fed from Swift, its results read in Swift.
let loader = PipelineLoader(registry: .standard)
let loaded = loader.load(
    text: """
        version: 1
        sources:
          - stdin: { id: pen }
        stages:
          - resample: { points: 8 }
        sinks:
          - discard
        """)
if let plan = loaded.plan {
    let run = Run(try plan.replacing("pen", with: drawn(3)))
    for try await frame in try run.results(of: "resample", as: Stroke.self) {
        print(frame.timestamp, frame.payload.samples.count)
    }
    let report = await run.finished()
    print(report.isSuccess, report.ledger.nodes.map { "\($0.id): \($0.received)" })
} else {
    print(DiagnosticRenderer(texts: loaded.texts).render(loaded.diagnostics))
}

// 3. Called frame by frame: each stroke by itself.
let chain = StageChain(Resample(points: 16)).through(Normalize()).through(Vectorize())
let stroke = Stroke(samples: (0..<20).map { Sample(x: Double($0), y: Double($0 * $0), t: Double($0) * 10_000) })
let single = try Recognizer(chain)
print(try single.recognize(stroke).payloads.map(\.values.count))

// 4. As it happens: never waiting for results, which come to a delegate.
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
let live = try Recognizer(chain, options: options)
for number in 1...3 {
    switch try live.recognizeAsync(stroke, timestampMilliseconds: Int64(number) * 10, stream: "pen") {
    case .accepted: break
    case .dropped(let reason): print("dropped at once: \(reason)")
    }
}
let account = try await live.close()
print(account.isSuccess)
