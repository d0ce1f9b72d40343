import Connectors
import Pipeline
import Synchronization

/// A result of a pipeline on a recording.
struct FoundResult: Sendable {
    /// The key by which results are matched for comparison.
    struct Moment: Hashable, Sendable {
        /// The recording or, in the recording of a run, the `id` of the sink.
        let recording: String
        let kind: String
        let stream: String
        /// The timestamp in microseconds.
        let time: Int64

        /// Returns the value of ``recording`` for a run that reads several recordings together.
        static func recording(_ paths: [String]) -> String { paths.joined(separator: ", ") }
    }

    let moment: Moment
    /// The frame as canonical JSON. The sequence number in it is 0 unless the ``ResultList`` keeps sequence numbers.
    let text: String
    /// A short human-readable description.
    let summary: String
}

/// Collects the frames that sinks receive.
final class ResultList: Sendable {
    /// How much of a run a list collects.
    enum Extent: Sendable {
        case whole
        /// Everything until the run stops, as it does when a node fails. How many of the frames in flight still reach the sinks
        /// after that depends on how far each task had got.
        case untilStop
    }

    let recording: String
    /// Whether frames keep their sequence numbers. Otherwise all numbers are 0, so that an added or missing frame does not make
    /// the frames after it different.
    private let keepsNumbers: Bool
    private let extent: Extent
    private let list = Lock<[FoundResult]>([])

    init(_ recording: String, keepsNumbers: Bool = false, _ extent: Extent = .whole) {
        (self.recording, self.keepsNumbers, self.extent) = (recording, keepsNumbers, extent)
    }

    /// The collected results, sorted by timestamp, stream and kind. Results that agree in these are in order of arrival.
    var results: [FoundResult] {
        inOrder.enumerated().sorted { a, b in
            let (one, other) = (a.element.moment, b.element.moment)
            return (one.time, one.stream, one.kind, a.offset) < (other.time, other.stream, other.kind, b.offset)
        }.map(\.element)
    }

    /// The collected results in order of arrival.
    var inOrder: [FoundResult] { list.withLock { $0 } }

    /// Adds a frame.
    ///
    /// - Parameter stop: The signal that stops the run.
    func add<P: WireEncodable>(_ frame: Frame<P>, stop: StopSignal?) throws {
        if extent == .untilStop, stop?.isRequested == true { return }
        var (text, summary) = (TextBuffer(), TextBuffer())
        try CanonicalEncoder(receipt: .none).encode(
            frame, sequence: keepsNumbers ? frame.sequence : 0, into: &text)
        frame.payload._summarize(into: &summary)
        let moment = FoundResult.Moment(
            recording: recording, kind: P.kind.rawValue, stream: frame.stream.name, time: frame.timestamp.rawValue)
        let words = summary.text.split(separator: " ").joined(separator: " ")
        let result = FoundResult(moment: moment, text: text.text, summary: words)
        list.withLock { $0.append(result) }
    }

    /// Returns a sink that replaces another one. The new sink collects its frames if `keeps` is true; otherwise it discards them.
    func sink(for input: PortType, mayBlock: Bool, keeps: Bool) throws -> any Sink {
        try Maker(list: keeps ? self : nil, mayBlock: mayBlock).sink(for: input)
    }

    private struct Maker: SinkMaker {
        let list: ResultList?
        let mayBlock: Bool

        func make<P: WireEncodable>(_ payload: P.Type) -> CompiledSink<P> {
            CompiledSink(ListingSink<P>(list: list, mayBlock: mayBlock))
        }
    }
}

private struct ListingSink<P: WireEncodable>: Sink {
    typealias Input = P
    let list: ResultList?
    let mayBlock: Bool
    private var stop: StopSignal?

    init(list: ResultList?, mayBlock: Bool) { (self.list, self.mayBlock) = (list, mayBlock) }

    mutating func open(_ context: SinkContext) async throws { stop = context.stop }

    mutating func write(_ frame: Frame<P>) throws { try list?.add(frame, stop: stop) }
}

extension TextBuffer {
    /// The text that was written.
    fileprivate var text: String { withBytes { String(decoding: $0, as: UTF8.self) } }
}
