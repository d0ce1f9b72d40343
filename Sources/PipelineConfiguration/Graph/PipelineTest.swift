import Pipeline
import PipelineComponents

/// A test of a whole pipeline, as its configuration's `tests` give it: what sources bring, and what must come of it.
public struct PipelineTest: Sendable {
    /// What is tested, in a sentence.
    public let name: String

    /// Where it stands.
    public let span: SourceSpan?

    /// What stands in a source's place, by its `id`.
    var sources: [String: any Source] = [:]

    /// What must come out.
    var outputs: [Output] = []

    /// What must be dropped; `nil` when that is not looked at.
    var drops: [Drops]?

    /// How long components take for a frame, in nanoseconds, by `id`.
    var serviceTimes: [String: Int64] = [:]

    /// Expected numbers of the ledger.
    var counts: [Count] = []

    /// The code of the error that must end the run.
    var failure: String?

    /// What must come out of one node.
    struct Output: Sendable {
        /// The node, and which of its outputs.
        let id: String
        let port: Plan.Port

        /// What is named in the test.
        var name: String { port == .errors ? id + ".errors" : id }

        /// What must come.
        let frames: ExpectedFrames

        /// Makes what stands in a sink's place, or listens to the node.
        let listener: @Sendable (TestCapture, _ mayBlock: Bool) -> any Sink
    }

    /// What must be dropped at one place for one reason.
    struct Drops: Sendable {
        let place: String
        let reason: DropReason
        let frames: ExpectedFrames
    }

    /// One number of the ledger.
    struct Count: Sendable {
        let id: String
        let figure: Figure
        let value: Int64
    }

    /// The numbers of a node in the ledger.
    enum Figure: String, CaseIterable, Sendable {
        case received = "in"
        case out, passed, absorbed, dropped, failed, lost
    }
}

/// Frames that a test expects, as far as it says what they are.
struct ExpectedFrames: Sendable {
    /// One of them.
    struct Item: Sendable {
        /// The letter it has in a timeline.
        var letter: Character?

        /// Its time, in microseconds, where a timeline says it.
        var time: Int64?

        /// When it comes, in microseconds after the run has begun, where that is said.
        var moment: Int64?

        /// What it must have: an object whose keys the frame must have, with these values.
        var fields: ConfigNode
    }

    /// Those expected, in order.
    var items: [Item]

    /// The length of a tick in microseconds, when they were written as a timeline.
    var tick: Int64?

    /// What letters stand for, in the order written.
    var legend: [(letter: Character, fields: ConfigNode)]

    /// How far a number may be from what is expected.
    var tolerance: Double
}
