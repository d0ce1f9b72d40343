import Dispatch
import PipelineTesting
import Synchronization

@testable import Pipeline

typealias NumberRecognizer = Recognizer<TestNumber, TestNumber>

/// A stage whose input numbers tell it what to do, so that a test controls what happens.
struct Obey: Stage {
    static let refused = 666

    mutating func process(
        _ payload: TestNumber, _ header: borrowing Header, into emitter: borrowing Emitter<TestNumber>
    ) throws {
        switch payload.value {
        case Obey.refused: throw PipelineError.frame("obey.refused", "this number is refused")
        case ..<0: emitter.drop("negative")
        case 1000...: for part in 1...3 { emitter.emit(TestNumber(payload.value + part)) }
        default: emitter.emit(payload)
        }
    }
}

/// Emits the running total of its stream with every frame.
struct AddUp: Stage {
    var total = 0
    /// An object that lives as long as the stage.
    var token: Token?

    final class Token: Sendable {}

    mutating func process(
        _ number: TestNumber, _ header: borrowing Header, into emitter: borrowing Emitter<TestNumber>
    ) {
        total += number.value
        emitter.emit(TestNumber(total))
    }
}

/// Keeps a number, and emits it 10 ms later or at the end. A newer number replaces it.
struct GiveLater: Stage {
    private var held: TestNumber?

    mutating func process(
        _ number: TestNumber, _ header: borrowing Header, into emitter: borrowing Emitter<TestNumber>
    ) {
        held = number
        emitter.wake(at: header.timestamp.advanced(byMicroseconds: 10_000))
    }

    mutating func wake(at time: Timestamp, into emitter: borrowing Emitter<TestNumber>) {
        if let held { emitter.emit(held) }
        held = nil
    }

    mutating func finish(into emitter: borrowing Emitter<TestNumber>) {
        if let held { emitter.emit(held) }
    }
}

/// Passes numbers on, and might emit some up to 2.5 ms before their input.
struct Early: Stage {
    var stampsEarlierByUs: Int64 { 2500 }

    mutating func process(
        _ number: TestNumber, _ header: borrowing Header, into emitter: borrowing Emitter<TestNumber>
    ) { emitter.emit(number) }
}

/// A delegate that records its calls, and returns from them only when the test permits it.
final class GatedDelegate: RecognizerDelegate {
    private let state = Lock<[RecognizerResult<TestNumber>]>([])
    private let gate = DispatchSemaphore(value: 0)
    private let isGated: Bool
    private let continuation: AsyncStream<RecognizerResult<TestNumber>>.Continuation

    /// The calls, as they start.
    let calls: AsyncStream<RecognizerResult<TestNumber>>

    /// - Parameter isGated: Whether each call waits for ``letGo(_:)``.
    init(isGated: Bool = false) {
        self.isGated = isGated
        (calls, continuation) = AsyncStream.makeStream()
    }

    /// The results that it received, in order.
    var results: [RecognizerResult<TestNumber>] { state.withLock { $0 } }

    /// Lets `count` calls return, whether they already wait or not.
    func letGo(_ count: Int = 1) { for _ in 0..<count { gate.signal() } }

    func recognizer(
        _ recognizer: NumberRecognizer, didFinish result: RecognizerResult<TestNumber>, timestamp: Timestamp,
        error: PipelineError?
    ) {
        state.withLock { $0.append(result) }
        continuation.yield(result)
        if isGated { gate.wait() }
    }
}

extension NumberRecognizer {
    /// Returns a live recognizer with one stage.
    static func live(
        _ stage: some Stage<TestNumber, TestNumber> = Obey(), policy: EdgePolicy? = nil, to delegate: GatedDelegate,
        onDrop: (@Sendable (DropRecord) -> Void)? = nil, clock: any RunClock = SystemClock()
    ) throws -> NumberRecognizer {
        var options = NumberRecognizer.Options()
        options.runningMode = .live
        options.delegate = delegate
        options.onDrop = onDrop
        options.clock = clock
        return try NumberRecognizer(StageChain(stage), live: policy, options: options)
    }

    /// Returns a recognizer with one stage, in another mode.
    static func called(
        _ mode: RunningMode, _ stage: some Stage<TestNumber, TestNumber> = Obey()
    ) throws -> NumberRecognizer {
        var options = NumberRecognizer.Options()
        options.runningMode = mode
        return try NumberRecognizer(StageChain(stage), options: options)
    }
}

extension RecognizerResult<TestNumber> {
    var values: [Int] { payloads.map(\.value) }
}
