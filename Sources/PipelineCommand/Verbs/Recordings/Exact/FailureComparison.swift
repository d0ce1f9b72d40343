import Pipeline

/// How the failure of a recorded run compares with that of its replay.
struct FailureComparison {
    /// Whether the replay failed.
    let isRepeated: Bool

    /// Describes how the runs failed differently; `nil` if they did not.
    let divergence: String?

    /// Describes the failure of the recorded run if the replay agrees with it; `nil` if the recorded run did not fail.
    let agreement: String?

    /// Compares the failures of a recorded run with those of its replay.
    ///
    /// - Parameters:
    ///   - recorded: The failures of the recorded run, the root cause first.
    ///   - report: The outcome of the replay.
    ///   - plan: The plan of the replay.
    /// - Throws: The error of a replay that fails because of its own environment.
    init(_ recorded: [RecordedFailure], _ report: RunReport, in plan: Plan) throws {
        isRepeated = !report.failures.isEmpty
        guard let failure = report.failures.first else {
            let missing = recorded.first { Self.isRepeatable($0, in: plan) }
            divergence = missing.map { "the recorded run failed in \($0.words); the repeated run did not fail\n" }
            agreement = recorded.first.map {
                "the recorded run failed in \($0.words), which is outside of what a replay repeats\n"
            }
            return
        }
        let repeated = RecordedFailure(failure)
        // If several tasks fail at about the same time, either run may note any of them first.
        guard !recorded.contains(repeated) else {
            (divergence, agreement) = (nil, "both runs failed in \(repeated.words)\n")
            return
        }
        switch failure.error.category {
        case .configuration, .environment: throw failure.error.located(in: failure.node)
        case .frame, .defect: break
        }
        let other = recorded.first.map { "the recorded run failed in \($0.words)" } ?? "the recorded run did not fail"
        divergence = "the repeated run failed in \(repeated.words); \(other)\n"
        agreement = nil
    }

    /// Whether a replay must fail in the same way. It replaces sources, asynchronous stages and sinks, and takes frames at joins in
    /// the recorded order, so these do not fail again.
    private static func isRepeatable(_ failure: RecordedFailure, in plan: Plan) -> Bool {
        guard failure.code != "join.out_of_step" else { return false }
        return plan.nodes.contains { node in
            if case .stage = node.body { node.id == failure.node } else { false }
        }
    }
}
