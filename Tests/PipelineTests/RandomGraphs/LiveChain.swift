import Pipeline
import PipelineTesting

/// A live chain that drops frames while it is busy: `source → work → more → out`. Each step takes a certain time for each frame.
struct LiveChain: Sendable {
    /// A frame and its arrival time in milliseconds.
    struct Arrival: Sendable, Hashable {
        var at: Int64
        var stream: String
        var sequence: Int64
        var value: Int
    }

    /// A stage or the sink, and its service time in milliseconds.
    struct Step: Sendable, Hashable {
        var work: Work
        var takes: Int64
    }

    var seed: UInt64
    var arrivals: [Arrival]
    var policy: EdgePolicy
    /// The stages, and last the sink, which only takes time.
    var steps: [Step]
    /// The number of workers of each stage. It is above 1 only if no two workers can be busy at the same time, because the model
    /// does not predict the results otherwise.
    var workers = 1

    /// Returns the chain for a seed.
    static func chain(_ seed: UInt64) -> LiveChain {
        var random = SeededGenerator(seed: seed)
        func pick<T>(_ list: [T]) -> T { list[Int.random(in: 0..<list.count, using: &random)] }
        var arrivals: [Arrival] = []
        for stream in ["p", "q", "r"].prefix(pick([1, 1, 2, 3])) {
            var at: Int64 = pick([0, 0, 3])
            for number in 0..<Int64.random(in: 1...20, using: &random) {
                arrivals.append(
                    Arrival(
                        at: at, stream: stream, sequence: number, value: Int.random(in: 0..<1_000_003, using: &random)))
                at += pick([1, 1, 2, 2, 5, 20])
            }
        }
        arrivals.sort { ($0.at, $0.stream) < ($1.at, $1.stream) }
        let policy = EdgePolicy(
            capacity: pick([0, 1, 1, 2, 3]), onFull: pick([.dropOldest, .dropOldest, .dropNewest]),
            inFlight: pick([1, 1, 2, 3]))
        let works: [Work] = [.pass, .add(1), .filter(2), .copies(2), .copies(3), .spread, .fail(3), .hold, .sum(2)]
        var steps = (0..<pick([1, 2, 2])).map { _ in Step(work: pick(works), takes: pick([0, 1, 2, 4])) }
        steps.append(Step(work: .pass, takes: pick([0, 0, 1, 3])))
        var chain = LiveChain(seed: seed, arrivals: arrivals, policy: policy, steps: steps)
        if policy.inFlight == 1 || Set(arrivals.map(\.stream)).count == 1 { chain.workers = pick([1, 2, 8]) }
        return chain
    }
}

extension LiveChain: CustomStringConvertible {
    var description: String {
        let frames = arrivals.map { "\($0.stream)\($0.sequence)@\($0.at)=\($0.value)" }.joined(separator: " ")
        let list = steps.map { "\($0.work) in \($0.takes) ms" }.joined(separator: " → ")
        return """
            live chain \(seed) (PIPELINE_GRAPH_SEED=\(seed) repeats it)
              in_flight \(policy.inFlight ?? 0), capacity \(policy.capacity), \(policy.onFull.rawValue)
              \(list), \(workers) workers
              \(frames)
            """
    }
}
