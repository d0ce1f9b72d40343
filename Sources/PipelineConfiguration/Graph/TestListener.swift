import Pipeline
import Synchronization

/// The captured output of a node in a test.
final class TestCapture: Sendable {
    /// A captured frame.
    struct Item: Sendable {
        /// The timestamp in microseconds.
        let time: Int64

        /// The arrival time in microseconds after the start of the run.
        let moment: Int64

        /// The frame as a JSON object.
        let text: String
    }

    private let state = Lock<[Item]>([])

    /// All frames, in order of arrival.
    var items: [Item] { state.withLock { $0 } }

    func add(_ item: Item) { state.withLock { $0.append(item) } }
}

/// A sink that captures the frames that it receives.
struct TestListener<P: Payload>: Sink {
    let mayBlock: Bool
    private let capture: TestCapture
    private let text: @Sendable (Frame<P>) throws -> String
    private var clock: (any RunClock)?
    private var begin: Int64 = 0

    init(_ capture: TestCapture, write: @escaping @Sendable (Frame<P>) throws -> String, mayBlock: Bool) {
        self.capture = capture
        text = write
        self.mayBlock = mayBlock
    }

    mutating func open(_ context: SinkContext) {
        clock = context.clock
        begin = context.clock.now
    }

    mutating func write(_ frame: Frame<P>) throws {
        let moment = ((clock?.now ?? begin) - begin) / 1000
        capture.add(.init(time: frame.timestamp.rawValue, moment: moment, text: try text(frame)))
    }
}
