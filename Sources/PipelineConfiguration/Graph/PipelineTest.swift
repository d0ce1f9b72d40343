import Pipeline
import PipelineComponents

/// A test of a whole pipeline, as the configuration's `tests` describe it: the input of the sources and the expected output.
public struct PipelineTest: Sendable {
    /// The name, usually a sentence about the tested behavior.
    public let name: String

    /// The position in the configuration.
    public let span: SourceSpan?

    /// The replacements for sources, by the `id` of the source.
    var sources: [String: any Source] = [:]

    /// The expected outputs.
    var outputs: [Output] = []

    /// The expected drops; `nil` if drops are not checked.
    var drops: [Drops]?

    /// The simulated time that components take to process a frame, in nanoseconds, by `id`.
    var serviceTimes: [String: Int64] = [:]

    /// The expected counts of the ledger.
    var counts: [Count] = []

    /// The code of the error with which the run must fail; `nil` if the run must succeed.
    var failure: String?

    /// The expected output of one node.
    struct Output: Sendable {
        /// The `id` of the node, and the output: its normal output or its errors.
        let id: String
        let port: Plan.Port

        /// The name of the output as the test writes it.
        var name: String { port == .errors ? id + ".errors" : id }

        /// The expected frames.
        let frames: ExpectedFrames

        /// Creates the sink that captures the frames. If the node is a sink, the capturing sink replaces it; otherwise it is added
        /// downstream of the node.
        let listener: @Sendable (TestCapture, _ mayBlock: Bool) -> any Sink
    }

    /// The expected drops at one location with one reason.
    struct Drops: Sendable {
        let place: String
        let reason: DropReason
        let frames: ExpectedFrames
    }

    /// An expected count of the ledger.
    struct Count: Sendable {
        let id: String
        let figure: Figure
        let value: Int64
    }

    /// The counts of a node in the ledger, with the names that tests use.
    enum Figure: String, CaseIterable, Sendable {
        case received = "in"
        case out, passed, absorbed, dropped, failed, lost
    }
}

/// The frames that a test expects. Only the properties that the test specifies are compared.
struct ExpectedFrames: Sendable {
    /// An expected frame.
    struct Item: Sendable {
        /// The letter in the timeline; `nil` if the frames are written as a list.
        var letter: Character?

        /// The timestamp in microseconds, if a timeline specifies it.
        var time: Int64?

        /// The arrival time in microseconds after the start of the run, if specified.
        var moment: Int64?

        /// An object with the keys and values that the frame must have.
        var fields: ConfigNode
    }

    /// The expected frames, in order.
    var items: [Item]

    /// The length of a tick in microseconds, if the frames are written as a timeline.
    var tick: Int64?

    /// The fields of the frame that each letter represents, in the order of the legend.
    var legend: [(letter: Character, fields: ConfigNode)]

    /// The maximum difference between a number and the expected number.
    var tolerance: Double
}
