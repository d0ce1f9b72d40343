import Testing

@testable import Pipeline

@Suite("Workers of streams")
struct StreamHomesTests {
    @Test(
        "Workers of streams: a stream stays with its worker, and a new stream goes to the worker with the fewest streams"
    )
    func spread() {
        var homes = StreamHomes(workers: 3, maxStreams: 10)
        #expect(["a", "b", "c", "d", "a", "c"].map { homes.use(StreamID($0)).worker } == [0, 1, 2, 0, 0, 2])
        #expect(homes.end("b") == 1)
        #expect(homes.use("e").worker == 1)
        #expect(homes.worker(of: "e") == 1)
        #expect(homes.worker(of: "b") == nil)
    }

    @Test(
        "Workers of streams: streams are numbered in the order of their arrival, and a stream that returns gets a new number"
    )
    func ordinals() {
        var homes = StreamHomes(workers: 2, maxStreams: 10)
        #expect(["a", "b", "a"].map { homes.use(StreamID($0)).ordinal } == [0, 1, 0])
        _ = homes.end("a")
        #expect(homes.use("a").ordinal == 2)
    }

    @Test("Workers of streams: beyond the maximum, the least recently seen stream is evicted")
    func evicted() {
        var homes = StreamHomes(workers: 2, maxStreams: 2)
        for stream in ["a", "b", "a"] { _ = homes.use(StreamID(stream)) }
        let use = homes.use("c")
        #expect(use.evicted?.stream == "b")
        #expect(use.evicted?.worker == 1)
        #expect(homes.worker(of: "a") == 0)
    }

    @Test("Workers of streams: a stream that returns goes to the worker that has not yet released its former instance")
    func leaving() {
        var homes = StreamHomes(workers: 2, maxStreams: 10)
        for stream in ["a", "b", "c", "d", "e"] { _ = homes.use(StreamID(stream)) }
        // "a", "c" and "e" belong to worker 0.
        #expect(homes.end("a") == 0)
        #expect(homes.use("a").worker == 0)
        #expect(homes.end("a") == 0)
        homes.left("a")
        #expect(homes.use("a").worker == 0)
        #expect(homes.end("a") == 0)
        homes.left("a")
        homes.left("a")
        #expect(homes.end("c") == 0)
        // Worker 0 has one stream, worker 1 has two.
        #expect(homes.use("x").worker == 0)
        #expect(homes.use("a").worker == 0)
        #expect(homes.use("y").worker == 1)
    }
}
