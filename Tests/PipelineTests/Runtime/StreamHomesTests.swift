import Testing

@testable import Pipeline

@Suite("Which worker has a stream")
struct StreamHomesTests {
    @Test("a stream stays with its worker, and a new one goes to the worker with the fewest")
    func spread() {
        var homes = StreamHomes(workers: 3, maxStreams: 10)
        #expect(["a", "b", "c", "d", "a", "c"].map { homes.use(StreamID($0)).worker } == [0, 1, 2, 0, 0, 2])
        #expect(homes.end("b") == 1)
        #expect(homes.use("e").worker == 1)
        #expect(homes.worker(of: "e") == 1)
        #expect(homes.worker(of: "b") == nil)
    }

    @Test("streams are numbered in the order of their coming, also those that come anew")
    func ordinals() {
        var homes = StreamHomes(workers: 2, maxStreams: 10)
        #expect(["a", "b", "a"].map { homes.use(StreamID($0)).ordinal } == [0, 1, 0])
        _ = homes.end("a")
        #expect(homes.use("a").ordinal == 2)
    }

    @Test("of more streams than there may be, the one not seen for longest goes")
    func evicted() {
        var homes = StreamHomes(workers: 2, maxStreams: 2)
        for stream in ["a", "b", "a"] { _ = homes.use(StreamID(stream)) }
        let use = homes.use("c")
        #expect(use.evicted?.stream == "b")
        #expect(use.evicted?.worker == 1)
        #expect(homes.worker(of: "a") == 0)
    }

    @Test("what comes anew goes to the worker that has still to let go of what was there before")
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
