import Connectors
import Pipeline
import Synchronization

/// A frame that a pipeline made of a recording.
struct FoundResult: Sendable {
    /// What says which results are to be compared.
    struct Moment: Hashable, Sendable {
        /// The recording.
        let recording: String
        let kind: String
        let stream: String
        /// In microseconds.
        let time: Int64
    }

    let moment: Moment
    /// The frame as canonical JSON, without its number.
    let text: String
    /// What a person wants to see of it.
    let summary: String
}

/// Keeps what sinks are given.
final class ResultList: Sendable {
    let recording: String
    /// Whether frames keep the numbers that tell where they stand among the others.
    private let keepsNumbers: Bool
    private let list = Lock<[FoundResult]>([])

    init(_ recording: String, keepsNumbers: Bool = false) {
        (self.recording, self.keepsNumbers) = (recording, keepsNumbers)
    }

    /// What was kept, in the order of time; of one moment in the order in which it came.
    var results: [FoundResult] {
        inOrder.enumerated().sorted { a, b in
            let (one, other) = (a.element.moment, b.element.moment)
            return (one.time, one.stream, one.kind, a.offset) < (other.time, other.stream, other.kind, b.offset)
        }.map(\.element)
    }

    /// What was kept, in the order in which it came.
    var inOrder: [FoundResult] { list.withLock { $0 } }

    func add<P: WireEncodable>(_ frame: Frame<P>) throws {
        var (text, summary) = (TextBuffer(), TextBuffer())
        // Numbers tell where a result stands among the others, and not what it is.
        try CanonicalEncoder(receipt: .none).encode(
            frame, sequence: keepsNumbers ? frame.sequence : 0, into: &text)
        frame.payload._summarize(into: &summary)
        let moment = FoundResult.Moment(
            recording: recording, kind: P.kind.rawValue, stream: frame.stream.name, time: frame.timestamp.rawValue)
        let words = summary.text.split(separator: " ").joined(separator: " ")
        let result = FoundResult(moment: moment, text: text.text, summary: words)
        list.withLock { $0.append(result) }
    }

    /// A sink in the place of another, which keeps its frames or discards them.
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

    mutating func write(_ frame: Frame<P>) throws { try list?.add(frame) }
}

extension TextBuffer {
    /// What was written.
    fileprivate var text: String { withBytes { String(decoding: $0, as: UTF8.self) } }
}
