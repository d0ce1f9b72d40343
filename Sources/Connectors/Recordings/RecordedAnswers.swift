import Pipeline

/// An asynchronous stage that sends requests to other programs. It cannot run in simulated time, because the answers take real
/// time.
protocol ExternalRequestStage {
    /// Returns the stage that replaces this one in a simulation. It gives the answers of a recording.
    func answered(by answers: Recording) -> any AsyncStage
}

extension PipelineError {
    /// Returns the error of a stage that would send requests to other programs in simulated time.
    static func sendsExternalRequests(_ id: String) -> PipelineError {
        PipelineError(
            .configuration, "simulate.outside",
            "\"\(id)\" sends requests to other programs, whose answers take real time, so simulated runs would differ",
            help:
                "record its answers with a file sink that has from: \(id), and pass them with --simulate \(id)=FILE; --service \(id)=TIME sets the time of each"
        )
    }
}

/// A stage that gives the answers of a recording, and replaces a stage that sends requests to other programs. The answers to a
/// frame are all recorded frames with the same stream and timestamp, in recorded order.
///
/// All answers are kept in memory. O(1) per frame.
struct RecordedAnswers<Input: Payload, Output: WirePayload>: AsyncStage {
    private struct Moment: Hashable, Sendable {
        let stream: StreamID
        let time: Timestamp
    }

    private let recording: Recording
    private var answers: [Moment: [Output]] = [:]

    init(_ recording: Recording) { self.recording = recording }

    mutating func open(_ context: AsyncStageContext) async throws {
        answers = [:]
        let messages = try RecordingFrames<Output>(
            recording, defaultStream: StreamID(context.id), log: context.log)
        while let item = try messages.next() {
            switch item {
            case .frame(let frame):
                answers[Moment(stream: frame.stream, time: frame.timestamp), default: []].append(frame.payload)
            case .failure(let error, _): throw error
            case .empty, .end: break
            }
        }
    }

    func process(_ frame: Frame<Input>) -> [Output] {
        answers[Moment(stream: frame.stream, time: frame.timestamp)] ?? []
    }
}
