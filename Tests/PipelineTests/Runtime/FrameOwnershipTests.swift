import PipelineTesting
import Synchronization
import Testing

@testable import Pipeline

/// Frames are moved into cells and out of them by hand. Each frame must be destroyed exactly once.
@Suite("Ownership of frames")
struct FrameOwnershipTests {
    /// Counts how many of its tokens are alive.
    private final class Census: Sendable {
        private let count = Atomic<Int>(0)

        /// The number of tokens that were created and not destroyed.
        var alive: Int { count.load(ordering: .sequentiallyConsistent) }

        func born() { count.add(1, ordering: .sequentiallyConsistent) }
        func died() { count.subtract(1, ordering: .sequentiallyConsistent) }
    }

    private final class Token: Sendable {
        private let census: Census

        init(_ census: Census) {
            self.census = census
            census.born()
        }

        deinit { census.died() }
    }

    private struct Carrier: Payload {
        static let kind: Kind = "carrier"
        let token: Token
    }

    /// Produces new tokens with the given timestamps.
    private struct Tokens: Source {
        typealias Output = Carrier

        let census: Census
        let times: [Int64]
        let size: Int
        private var next = 0

        init(_ census: Census, times: [Int64], size: Int) {
            self.census = census
            self.times = times
            self.size = size
        }

        mutating func read(into batch: inout SourceBatch<Carrier>) async throws -> Bool {
            for _ in 0..<size where next < times.count {
                batch.append(Frame(Carrier(token: Token(census)), at: .microseconds(times[next])))
                next += 1
            }
            return next < times.count
        }
    }

    private struct PassOn: Stage {
        mutating func process(
            _ carrier: Carrier, _ header: borrowing Header, into emitter: borrowing Emitter<Carrier>
        ) { emitter.emit(carrier) }
    }

    private struct Ignore: Sink {
        typealias Input = Carrier
        let mayBlock: Bool
        mutating func write(_ frame: Frame<Carrier>) {}
    }

    @Test(
        "Every frame is destroyed once, whether it passes, is out of order or exceeds the limit",
        arguments: [1, 7, 64, 500], [1, 2])
    func everyFrameIsDestroyedOnce(size: Int, branches: Int) async throws {
        let census = Census()
        // Every tenth frame is out of order.
        let times = (0..<1000).map { Int64($0 % 10 == 9 ? $0 - 5 : $0) }
        do {
            var plan = Plan.building()
            plan.add(
                "source", source: Tokens(census, times: times, size: size), rules: .init(onDisorder: .drop))
            for branch in 0..<branches {
                plan.add("pass\(branch)", stage: PassOn(), from: ["source"])
                plan.add("sink\(branch)", sink: Ignore(mayBlock: branch == 1))
            }
            var options = Run.Options()
            options.limit = 700
            let report = await Run(plan, options: options).finished()
            #expect(report.violations.isEmpty)
            #expect(report.failures.isEmpty)
        }
        #expect(census.alive == 0)
    }

    @Test(
        "Frames that still wait in an edge are destroyed with the edge",
        arguments: [EdgePolicy.OnFull.wait, .dropOldest])
    func waitingFramesAreDestroyed(onFull: EdgePolicy.OnFull) throws {
        let census = Census()
        do {
            let edge = Edge(
                carrying: Carrier.self, from: "a", to: "b", policy: EdgePolicy(capacity: 10, onFull: onFull),
                traits: EdgeTraits(wantsWatermarks: false), wakers: (Waker(monitor: nil), Waker(monitor: nil)),
                monitor: RunMonitor())
            var batch = (0..<3 as Range<Int64>).map { time in
                let cell = edge.store.allocate()
                cell.frame(of: Carrier.self).initialize(
                    to: Frame(Carrier(token: Token(census)), at: .microseconds(time)))
                return EdgeItem.frame(cell)
            }
            var (cursor, spare): (Int, [FrameCell]) = (0, [])
            #expect(edge.offer(&batch, from: &cursor, spare: &spare))
            #expect(census.alive == 3)
        }
        #expect(census.alive == 0)
    }

    @Test("A batch that its source has copied still holds its frames after the engine has taken them")
    func keptBatch_holdsItsFrames() async throws {
        /// Produces its first batch a second time, as another stream.
        struct Repeater: Source {
            typealias Output = TestNumber
            private var kept: SourceBatch<TestNumber>?

            mutating func read(into batch: inout SourceBatch<TestNumber>) async throws -> Bool {
                if let kept {
                    batch = kept
                    return false
                }
                for i in 0..<3 { batch.append(Frame(TestNumber(i), at: .microseconds(Int64(i)))) }
                batch.newEpoch("")
                kept = batch
                return true
            }
        }

        let collector = Collector<TestNumber>()
        var plan = Plan.building()
        plan.add("source", source: Repeater())
        plan.add("sink", sink: collector.sink())
        let report = await Run(plan).finished()
        #expect(report.failures.isEmpty)
        #expect(collector.frames.map(\.payload.value) == [0, 1, 2, 0, 1, 2])
    }

    @Test("A copy of a buffer from which frames were taken holds the remaining frames, and destroys only those")
    func copies() {
        let census = Census()
        do {
            let buffer = FrameBuffer<Frame<Carrier>>()
            for time in Int64(0)..<3 { buffer.append(Frame(Carrier(token: Token(census)), at: .microseconds(time))) }
            _ = buffer.takeFirst()
            let copy = FrameBuffer(copying: buffer)
            buffer.removeAll()
            #expect(census.alive == 2)
            #expect((copy.taken, copy.count) == (1, 3))
            #expect(copy.takeFirst().timestamp == .microseconds(1))
            #expect(census.alive == 1)
        }
        #expect(census.alive == 0)
    }

    @Test("A batch that grows after frames were taken from its front keeps the other frames")
    func growth() {
        let census = Census()
        do {
            let buffer = FrameBuffer<Frame<Carrier>>()
            for time in Int64(0)..<60 { buffer.append(Frame(Carrier(token: Token(census)), at: .microseconds(time))) }
            for _ in 0..<10 { _ = buffer.takeFirst() }
            for time in Int64(60)..<200 { buffer.append(Frame(Carrier(token: Token(census)), at: .microseconds(time))) }
            #expect((buffer.taken, buffer.count) == (10, 200))
            #expect(census.alive == 190)
            for time in Int64(10)..<200 { #expect(buffer.takeFirst().timestamp == .microseconds(time)) }
        }
        #expect(census.alive == 0)
    }
}
