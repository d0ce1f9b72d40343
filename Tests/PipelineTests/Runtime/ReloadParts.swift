import Pipeline
import PipelineTesting
import Synchronization

/// A source that emits the frames that a test gives it, and counts how often it was opened and closed.
final class Feed: Sendable {
    private struct State {
        var items: [FramesSource<TestNumber>.Item] = []
        var waiting: CheckedContinuation<Void, Never>?
        var hasEnded = false
        var opened = 0
        var closed = 0
    }

    private let state = Lock(State())

    var opened: Int { state.withLock { $0.opened } }
    var closed: Int { state.withLock { $0.closed } }

    /// Makes the source emit numbers, with timestamps from `time` microseconds on, one microsecond apart.
    func give(_ numbers: [Int], at time: Int64, stream: StreamID = "a") {
        wake { state in
            for (place, number) in numbers.enumerated() {
                state.items.append(
                    .frame(Frame(TestNumber(number), at: .microseconds(time + Int64(place)), stream: stream)))
            }
        }
    }

    /// Ends the source when it has emitted everything.
    func end() { wake { $0.hasEnded = true } }

    private func wake(_ body: (inout State) -> Void) {
        let waiting = state.withLock { state in
            body(&state)
            return state.waiting.take()
        }
        waiting?.resume()
    }

    var source: FeedSource { FeedSource(feed: self) }

    fileprivate func open(_ stop: StopSignal) {
        state.withLock { $0.opened += 1 }
        stop.onRequest { [weak self] in self?.wake { _ in } }
    }

    fileprivate func close() { state.withLock { $0.closed += 1 } }

    /// Returns the available items, or waits for some. Returns `nil` at the end.
    fileprivate func take(_ stop: StopSignal?) async -> [FramesSource<TestNumber>.Item]? {
        while true {
            let (items, hasEnded) = state.withLock { state in
                defer { state.items = [] }
                return (state.items, state.hasEnded)
            }
            if !items.isEmpty { return items }
            if hasEnded || stop?.isRequested ?? false { return nil }
            await withCheckedContinuation { continuation in
                let mustWait = state.withLock { state in
                    guard state.items.isEmpty, !state.hasEnded, !(stop?.isRequested ?? false) else { return false }
                    state.waiting = continuation
                    return true
                }
                if !mustWait { continuation.resume() }
            }
        }
    }
}

struct FeedSource: Source {
    typealias Output = TestNumber

    let feed: Feed
    private var stop: StopSignal?

    init(feed: Feed) { self.feed = feed }

    mutating func open(_ context: SourceContext) async throws {
        stop = context.stop
        feed.open(context.stop)
    }

    mutating func read(into batch: inout SourceBatch<TestNumber>) async throws -> Bool {
        guard let items = await feed.take(stop) else { return false }
        for case .frame(let frame) in items { batch.append(frame) }
        return true
    }

    mutating func close() async { feed.close() }
}

/// A sink that counts how often it was opened and closed, and lets a test wait for frames.
final class Basin: Sendable {
    private struct State {
        var numbers: [Int] = []
        var opened = 0
        var closed = 0
        var spilled = 0
        var flushedWhileClosed = 0
        var waiting: [(count: Int, CheckedContinuation<Void, Never>)] = []
        var waitingForClosing: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Lock(State())
    let mayBlock: Bool
    let isBroken: Bool

    init(mayBlock: Bool = true, isBroken: Bool = false) { (self.mayBlock, self.isBroken) = (mayBlock, isBroken) }

    var numbers: [Int] { state.withLock { $0.numbers } }
    var opened: Int { state.withLock { $0.opened } }
    var closed: Int { state.withLock { $0.closed } }
    /// How many numbers were written while the sink was not open.
    var spilled: Int { state.withLock { $0.spilled } }
    /// How often it was told to make its output visible while it was not open.
    var flushedWhileClosed: Int { state.withLock { $0.flushedWhileClosed } }
    var sink: BasinSink { BasinSink(basin: self) }

    /// Waits until `count` numbers have been written.
    func wait(for count: Int) async {
        await withCheckedContinuation { continuation in
            let isThere = state.withLock { state in
                if state.numbers.count < count { state.waiting.append((count, continuation)) }
                return state.numbers.count >= count
            }
            if isThere { continuation.resume() }
        }
    }

    fileprivate func open() throws {
        state.withLock { $0.opened += 1 }
        if isBroken { throw PipelineError(.environment, "basin.broken", "it leaks") }
    }

    /// Waits until the sink has been closed.
    func waitForClosing() async {
        await withCheckedContinuation { continuation in
            let isClosed = state.withLock { state in
                if state.closed == 0 { state.waitingForClosing.append(continuation) }
                return state.closed > 0
            }
            if isClosed { continuation.resume() }
        }
    }

    fileprivate func close() {
        let waiting = state.withLock { state in
            state.closed += 1
            defer { state.waitingForClosing = [] }
            return state.waitingForClosing
        }
        for continuation in waiting { continuation.resume() }
    }

    fileprivate func flush() {
        state.withLock { state in
            if state.opened == state.closed { state.flushedWhileClosed += 1 }
        }
    }

    fileprivate func write(_ number: Int) {
        let reached = state.withLock { state in
            state.numbers.append(number)
            if state.opened == state.closed { state.spilled += 1 }
            let reached = state.waiting.filter { $0.count <= state.numbers.count }
            state.waiting.removeAll { $0.count <= state.numbers.count }
            return reached.map(\.1)
        }
        for continuation in reached { continuation.resume() }
    }
}

struct BasinSink: Sink {
    typealias Input = TestNumber

    let basin: Basin
    var mayBlock: Bool { basin.mayBlock }

    mutating func open(_ context: SinkContext) async throws { try basin.open() }
    mutating func write(_ frame: Frame<TestNumber>) { basin.write(frame.payload.value) }
    mutating func flush() { basin.flush() }
    mutating func close() async { basin.close() }
}

/// Emits the running sum of a stream times a factor, and the negative of it at the end.
struct RunningSum: Stage {
    let factor: Int
    var sum = 0

    init(factor: Int = 1) { self.factor = factor }

    mutating func process(
        _ number: TestNumber, _ header: borrowing Header, into emitter: borrowing Emitter<TestNumber>
    ) {
        sum += number.value
        emitter.emit(TestNumber(sum * factor))
    }

    mutating func finish(into emitter: borrowing Emitter<TestNumber>) { emitter.emit(TestNumber(-sum * factor)) }
}

/// Adds an amount to each number.
struct Shift: Stage {
    let amount: Int

    mutating func process(
        _ number: TestNumber, _ header: borrowing Header, into emitter: borrowing Emitter<TestNumber>
    ) {
        emitter.emit(TestNumber(number.value + amount))
    }
}
