import Pipeline
import Synchronization

/// Checks a stage against the promises that all stages make.
///
/// The suite runs the stage on generated frames in the real engine: with several batch sizes, with invalid frames, and with
/// several streams at once. It reports violations that would affect users of the stage.
public struct StageConformance<S: Stage> {
    private let stage: S
    private let isPure: Bool
    private let frames: [Frame<S.Input>]
    private let hostile: [S.Input]

    /// Creates the suite for a stage.
    ///
    /// - Parameters:
    ///   - stage: The stage in its state before the first frame.
    ///   - isPure: Whether the manifest declares the stage as pure: it produces exactly one output per input, determined by that
    ///     payload alone.
    ///   - count: The number of frames to run the stage on, at least four.
    public init(_ stage: S, isPure: Bool = false, count: Int = 40) where S.Input: ConformancePayload {
        self.init(
            stage, isPure: isPure, typical: (0..<max(0, count)).map { S.Input.typical($0) }, hostile: S.Input.hostile)
    }

    /// Creates the suite for a stage, with input payloads.
    ///
    /// - Parameters:
    ///   - stage: The stage in its state before the first frame.
    ///   - isPure: Whether the manifest declares the stage as pure: it produces exactly one output per input, determined by that
    ///     payload alone.
    ///   - typical: At least four typical payloads.
    ///   - hostile: Payloads that could make a careless stage trap, hang or emit NaN.
    public init(_ stage: S, isPure: Bool, typical: [S.Input], hostile: [S.Input]) {
        self.stage = stage
        self.isPure = isPure
        self.hostile = hostile
        frames = typical.enumerated().map { index, payload in
            Frame(
                payload, at: .milliseconds(Int64(index) * 50), stream: "conformance", sequence: Int64(index))
        }
    }

    /// Returns all promises that the stage breaks.
    public func violations() async -> [Violation] {
        guard frames.count >= 4 else {
            return [Violation("has_enough_typical_frames", "\(frames.count), but at least 4 are needed")]
        }
        let result = await run(frames)
        // Texts are slow to make, so make this one only once.
        let reference = text(result.frames)
        var found = balance(result, "typical frames")
        found += order(result, "typical frames")
        found += await batching(reference)
        found += await streams(reference, isRenamed: result.frames.contains { $0.stream != "conformance" })
        found += await hostility()
        found += await recovery(reference)
        found += await holding()
        if isPure || stage.isStateless { found += await purity() }
        return found
    }

    private typealias Result = StageHarness<S>.Result

    private func run(_ frames: [Frame<S.Input>], batchSize: Int = .max) async -> Result {
        await StageHarness(stage).run(frames, batchSize: batchSize)
    }

    /// Returns a text for each frame, with all of its contents. Two texts are equal if the frames are, also if they contain NaN.
    private func text(_ frames: [Frame<S.Output>]) -> [String] {
        frames.map { "\($0.stream) \($0.timestamp) \($0.sequence) \($0.payload)" }
    }

    private func balance(_ result: Result, _ input: String) -> [Violation] {
        var found = result.report.violations.map { Violation("ledger_balances", "\(input): \($0)") }
        found += result.report.failures.map { Violation("ends_when_its_input_ends", "\(input): \($0.error)") }
        found += result.errors.filter { $0.error.category == .defect }.map {
            Violation("timestamps_in_declared_range", "\(input): \($0.error.message)")
        }
        return found
    }

    private func order(_ result: Result, _ input: String) -> [Violation] {
        var last: [StreamID: Timestamp] = [:]
        for frame in result.frames {
            if let before = last[frame.stream], frame.timestamp < before {
                return [Violation("reorders_nothing", "\(input): \(frame.timestamp) comes after \(before)")]
            }
            last[frame.stream] = frame.timestamp
        }
        return []
    }

    private func batching(_ reference: [String]) async -> [Violation] {
        for size in [1, 3, 17] {
            let result = await run(frames, batchSize: size)
            if text(result.frames) != reference {
                return [
                    Violation(
                        "output_independent_of_batches",
                        "in batches of \(size), the stage emitted \(result.frames.count) frames, in one batch "
                            + "\(reference.count), or frames with other contents")
                ]
            }
        }
        return []
    }

    /// Checks that a stream gives the same outputs when another stream is interleaved with it. The engine creates one instance of
    /// the stage per stream, so streams share no state.
    private func streams(_ reference: [String], isRenamed: Bool) async -> [Violation] {
        let doubled = frames.flatMap { frame -> [Frame<S.Input>] in
            var other = frame
            other.stream = "conformance/other"
            return [frame, other]
        }
        let result = await run(doubled)
        let own = result.frames.filter { $0.stream == "conformance" }
        // The output for one stream must not depend on another stream.
        guard isRenamed || text(own) == reference else {
            return [Violation("one_instance_per_stream", "another stream's frames changed its output")]
        }
        return []
    }

    private func hostility() async -> [Violation] {
        var found: [Violation] = []
        for (index, payload) in hostile.enumerated() {
            let result = await run([Frame(payload, at: .zero, stream: "hostile")])
            found += balance(result, "hostile payload \(index)")
            // A stage may pass on the non-finite numbers of its own input, but must not turn them into another payload.
            if let bad = result.payloads.first(where: { containsNonFinite($0) }),
                !(bad is S.Input) || !containsNonFinite(payload)
            {
                found.append(Violation("finite_output_or_refusal", "hostile payload \(index) gave \(bad)".prefixed))
            }
        }
        return found
    }

    /// Checks the recovery after a rejected frame. The valid frames after it must give the same outputs as if the rejected frame
    /// had not arrived, or as if the stage had been reset at that point.
    private func recovery(_ reference: [String]) async -> [Violation] {
        let half = frames.count / 2
        let (first, second) = (await run(Array(frames[..<half])), await run(Array(frames[half...])))
        let afterReset = text(second.frames)
        for (index, payload) in hostile.enumerated() {
            let bad = Frame(
                payload, at: frames[half - 1].timestamp.advanced(byMicroseconds: 1), stream: "conformance",
                sequence: -1)
            let result = await run(frames[..<half] + [bad] + frames[half...])
            guard result.errors.count == 1, result.ledger.failed == 1 else { continue }
            if text(result.frames) == reference { continue }
            let later = result.frames.filter { $0.sequence >= Int64(half) }
            if text(later) != afterReset || first.frames.count > result.frames.count {
                return [
                    Violation(
                        "a_refused_frame_leaves_no_trace", "the output after hostile payload \(index) is different")
                ]
            }
        }
        return []
    }

    /// Checks, at a commit point after each frame, what the stage reports about the frames that it holds. If it reports none, the
    /// end of the stream must emit nothing more. If it reports a timestamp, a frame that it has received must have this timestamp.
    private func holding() async -> [Violation] {
        let out = Collector<S.Output>()
        let emitted = EmittedCounts()
        let probe = CommitProbe(frames) { _ in emitted.add(out.frames.count) }
        var plan = Plan.building()
        plan.add("source", source: probe.source)
        plan.add("stage", stage: stage, onError: .skip)
        plan.add("out", sink: out.sink())
        let report = await Run(plan).finished()
        let held = probe.held
        guard report.isSuccess, held.count > frames.count else {
            return [Violation("can_be_brought_to_a_commit_point", "\(held.count) of \(frames.count) commit points")]
        }
        for (index, frame) in frames.enumerated() {
            let rule = "reports_held_frames"
            if let since = held[index].since(frame.stream) {
                guard frames[...index].contains(where: { $0.timestamp == since }) else {
                    return [
                        Violation(
                            rule, "after frame \(index), it reports \(since), but no frame so far has this timestamp")
                    ]
                }
            } else if await run(Array(frames[...index])).frames.count > emitted.counts[index] {
                return [
                    Violation(rule, "after frame \(index), it reports none, but the end of the stream emits frames")
                ]
            }
        }
        return []
    }

    private func purity() async -> [Violation] {
        let forward = await run(frames)
        if isPure, forward.ledger.emitted + forward.ledger.failed != Int64(frames.count) {
            return [
                Violation(
                    "pure_means_one_output_per_input",
                    "\(frames.count) frames gave \(forward.ledger.emitted) outputs and \(forward.ledger.failed) errors")
            ]
        }
        for index in [0, frames.count / 2, frames.count - 1] {
            let alone = await run([frames[index]])
            let together = forward.frames.filter { $0.sequence == frames[index].sequence }
            if text(alone.frames) != text(together) {
                return [
                    Violation("stateless_output_depends_only_on_frame", "frame \(index) alone gives other output")
                ]
            }
        }
        return []
    }
}

extension String {
    /// The text, shortened if it is long.
    fileprivate var prefixed: String { count > 200 ? String(prefix(200)) + "…" : self }
}

/// The number of frames that a stage had emitted at each commit point.
private final class EmittedCounts: Sendable {
    private let state = Lock<[Int]>([])

    var counts: [Int] { state.withLock { $0 } }

    func add(_ count: Int) { state.withLock { $0.append(count) } }
}
