import PipelineTesting
import Synchronization
import Testing

@testable import Pipeline

private struct Passing: Stage {
    mutating func process(
        _ payload: TestNumber, _ header: borrowing Header, into emitter: borrowing Emitter<TestNumber>
    ) { emitter.emit(payload) }
}

private func frame(_ value: Int) -> Frame<TestNumber> {
    Frame(TestNumber(value), at: .milliseconds(Int64(value)), stream: "a", sequence: Int64(value))
}

/// Produces `count` frames, or frames without end.
private func numbers(_ count: Int? = nil) -> AsyncStream<Frame<TestNumber>> {
    let next = Lock(0)
    return AsyncStream(unfolding: {
        next.withLock { next in
            if next == count { return nil }
            next += 1
            return frame(next - 1)
        }
    })
}

extension Results<TestNumber> {
    fileprivate func count(upTo limit: Int = .max) async throws -> Int {
        var count = 0
        for try await _ in self {
            count += 1
            if count == limit { break }
        }
        return count
    }
}

@Suite("Readers of results", .timeLimit(.minutes(2)))
struct ResultReaderTests {
    private let graph = Pipeline.Graph()

    @Test("A run ends when its only reader has stopped, or was released")
    func onlyReader() async throws {
        let flow = graph.source(numbers()).through(Passing())
        #expect(try await flow.results().count(upTo: 3) == 3)
        let report = try await flow.report()
        #expect(report.isSuccess)
        // What the reader leaves is no loss.
        #expect(report.ledger.losses == 0)
    }

    @Test(
        "A reader that stops does not shorten a result that was requested too, whichever way it reads",
        arguments: [true, false])
    func otherReader(readsFlow: Bool) async throws {
        let first = graph.source(numbers(1000)).through(Passing())
        let rest = try first.through(Passing()).results()
        if readsFlow {
            for try await frame in first where frame.payload.value == 3 { break }
        } else {
            #expect(try await first.results().count(upTo: 3) == 3)
        }
        #expect(try await rest.count() == 1000)
        #expect(try await graph.report().isSuccess)
    }

    @Test(
        "A run does not wait for a result without a reader, not even if it is the only one",
        arguments: [true, false])
    func unread(isKept: Bool) async throws {
        let basin = Basin()
        let flow = graph.source(numbers(1000)).through(Passing())
        flow.into(basin.sink)
        let results = try flow.results()
        let report = try await graph.report()
        #expect(report.isSuccess && basin.numbers.count == 1000)
        if isKept { #expect(try await results.count() == 1000) }
    }

    @Test("In a live graph, a result without a reader delays neither other results nor the run")
    func live() async throws {
        let frames = AsyncStream<Frame<TestNumber>> { continuation in
            for value in 0..<3 { continuation.yield(frame(value)) }
            continuation.finish()
        }
        let source = graph.source(frames, busy: .policy(EdgePolicy(onFull: .wait, inFlight: 1)))
        let (first, second) = (source.through(Passing()), source.through(Passing()))
        let (one, other) = (try first.results(), try second.results())
        #expect(try await one.count() == 3)
        #expect(try await other.count() == 3)
    }

    @Test("Canceling the task of a reader stops this reader soon, and nothing else")
    func cancel() async throws {
        let flow = graph.source(numbers(2000)).through(Passing())
        let other = try flow.through(Passing()).results()
        let results = try flow.results()
        let begun = Milestone()
        let reading = Task {
            var count = 0
            for try await _ in results {
                count += 1
                begun.reach()
                // Slower than the source, so that the next frame is always there.
                await Task.yield()
                while !Task.isCancelled { await Task.yield() }
            }
            return count
        }
        let all = Task { try await other.count() }
        await begun.wait()
        reading.cancel()
        let count = try await reading.value
        #expect((1...256).contains(count))
        #expect(try await all.value == 2000)
    }

    @Test("A reader that waits for a frame ends when its task is canceled, and so does a run without other consumers")
    func cancelWaiting() async throws {
        let flow = graph.source(AsyncStream<Frame<TestNumber>> { $0.yield(frame(0)) }).through(Passing())
        let begun = Milestone()
        let reading = Task {
            for try await _ in flow { begun.reach() }
        }
        await begun.wait()
        reading.cancel()
        try await reading.value
        #expect(try await flow.report().isSuccess)
    }

    @Test("What is added to a graph after results were requested is an error when the graph is read or run")
    func late() async throws {
        let flow = graph.source(numbers(3)).through(Passing())
        let results = try flow.results()
        flow.into(Basin().sink)
        func expectError(_ body: () async throws -> Void) async {
            await #expect {
                try await body()
            } throws: {
                ($0 as? PipelineError)?.code == "graph.running"
            }
        }
        await expectError { _ = try flow.results() }
        await expectError { _ = try await graph.report() }
        #expect(try await results.count() == 3)
    }

    @Test("The sequence that feeds a graph is released when the run is over")
    func feeding() async throws {
        let over = Milestone()
        func endless() -> AsyncStream<Frame<TestNumber>> {
            AsyncStream { continuation in
                continuation.onTermination = { _ in over.reach() }
                for value in 0..<1000 { continuation.yield(frame(value)) }
            }
        }
        // The graph has the only reference to the sequence.
        let flow = graph.source(endless()).through(Passing())
        for try await frame in flow where frame.payload.value == 2 { break }
        _ = try await flow.report()
        await over.wait()
    }
}
