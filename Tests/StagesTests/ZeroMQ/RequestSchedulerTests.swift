import PipelineTesting
import Testing

@testable import Connectors

@Suite("Distribution of requests among workers")
struct RequestSchedulerTests {
    @Test("zmq_request: one after the other, requests go to the workers in turn", arguments: 1...4)
    func turns(workers: Int) {
        var simulation = RequestSimulation(workers: workers) { _, _, _ in .answers(5) }
        simulation.run(arrivals: (0..<12).map { $0 * 10 }, until: 200)
        #expect(simulation.asks.map(\.worker) == (0..<12).map { $0 % workers })
        #expect(simulation.asks.map(\.time) == (0..<12).map { $0 * 10 })
        #expect(simulation.endings.values.allSatisfy { $0.tries == 0 })
    }

    @Test("zmq_request: a worker that takes longer gets fewer requests")
    func fewest() {
        // More requests arrive than either worker could answer alone, so both always have the same number in flight. By Little's
        // law, a worker that takes three times as long gets a third as many requests: 100 of 400, and a few more at the beginning.
        var simulation = RequestSimulation(workers: 2) { worker, _, _ in .answers(worker == 0 ? 90 : 30) }
        simulation.run(arrivals: (0..<400).map { $0 * 2 }, until: 1000)
        #expect(simulation.endings.count == 400)
        #expect(simulation.repeated == 0)
        #expect((95...115).contains(simulation.times(asked: 0).count))
    }

    @Test("zmq_request: a request waits until a worker is connected, and is given up after its retries")
    func nobody() {
        var simulation = RequestSimulation(workers: 2, retries: 2) { worker, time, request in
            request == 0 && worker == 1 && time >= 250 ? .answers(10) : .absent
        }
        simulation.run(arrivals: [0, 1], until: 1000)
        #expect(simulation.asks == [.init(time: 250, request: 0, worker: 1)])
        #expect(simulation.endings == [0: .init(time: 260), 1: .init(time: 301, tries: 3)])
        #expect(simulation.repeated == 2 + 2)
        #expect(simulation.silences.isEmpty)
    }

    @Test(
        "zmq_request: requests of a silent worker go to another worker at once, and none goes to the silent worker twice"
    )
    func silentAmongTwo() {
        var simulation = RequestSimulation(workers: 2) { worker, _, _ in worker == 0 ? .silent : .answers(1) }
        simulation.run(arrivals: (0..<24).map { $0 * 5 }, until: 1000)
        #expect(simulation.endings.count == 24)
        #expect(simulation.endings.values.allSatisfy { $0.tries == 0 })
        for request in 0..<24 as Range<UInt64> {
            #expect(simulation.workers(asked: request).count { $0 == 0 } <= 1)
        }
        // Worker 0 gets the first request. While that is in flight, worker 1 has fewer requests in flight and gets the others.
        #expect(simulation.times(asked: 0) == [0])
        #expect(simulation.silences.map(\.time) == [100])
    }

    @Test("zmq_request: other requests of a silent worker are moved without using up a retry")
    func moved() {
        var simulation = RequestSimulation(workers: 2, retries: 0) { worker, time, _ in
            // The other worker connects later.
            worker == 0 ? .silent : time < 80 ? .absent : .answers(10)
        }
        simulation.run(arrivals: [0, 60], until: 500)
        #expect(
            simulation.asks == [
                .init(time: 0, request: 0, worker: 0), .init(time: 60, request: 1, worker: 0),
                .init(time: 100, request: 1, worker: 1),
            ])
        #expect(simulation.endings == [0: .init(time: 100, tries: 1), 1: .init(time: 110)])
        #expect(simulation.repeated == 0)
    }

    @Test(
        "zmq_request: a silent worker is tried again after pauses that double, with new requests only, until it answers"
    )
    func comingBack() {
        var simulation = RequestSimulation(workers: 2) { worker, time, _ in
            worker == 0 && time < 20_000 ? .silent : .answers(1)
        }
        simulation.run(arrivals: (0..<4000).map { $0 * 10 }, until: 41_000)
        #expect(simulation.endings.count == 4000)
        #expect(simulation.endings.values.allSatisfy { $0.tries == 0 })
        // A request time-out of 100 ms, followed by a pause of 100, 200, 400, … ms, but never more than 6400.
        let before = simulation.times(asked: 0).filter { $0 < 26_400 }
        #expect(before == [0, 200, 500, 1000, 1900, 3600, 6900, 13_400, 19_900])
        // From 20,000 ms on, the worker answers. Its next trial, at 26,400 ms, shows this, so it gets requests again.
        let after = simulation.times(asked: 0).filter { $0 >= 26_400 }
        #expect(after.first == 26_400)
        #expect(after.count == (40_000 - 26_400) / 20)
    }

    @Test("zmq_request: if no worker answers, silent workers get requests anyway, in turn")
    func allSilent() {
        var simulation = RequestSimulation(workers: 3, retries: 4) { _, _, _ in .silent }
        simulation.run(arrivals: [0], until: 1000)
        #expect(simulation.workers(asked: 0) == [0, 1, 2, 0, 1])
        #expect(simulation.endings == [0: .init(time: 500, tries: 5)])
    }

    @Test(
        "zmq_request: a worker that answers other requests is not silent, and only the late request goes to another worker"
    )
    func lateAlone() {
        var simulation = RequestSimulation(workers: 2) { worker, _, request in
            worker == 0 && request == 0 ? .silent : .answers(30)
        }
        simulation.run(arrivals: (0..<30).map { $0 * 10 }, until: 500)
        #expect(simulation.workers(asked: 0) == [0, 1])
        #expect(simulation.silences.isEmpty)
        #expect(simulation.endings.count == 30)
        #expect((12...18).contains(simulation.times(asked: 0).count))
    }

    @Test(
        "zmq_request: if two workers answer the same request, the first answer counts, and the second one is late"
    )
    func late() {
        for (delay, ending, late) in [(20, 120, 1), (60, 130, 1)] as [(Int64, Int64, Int)] {
            // Worker 0 answers the first request after 130 ms. Worker 1 gets it at 100 ms, and answers after `delay`.
            var simulation = RequestSimulation(workers: 2) { worker, _, request in
                request > 0 ? .answers(2) : worker == 0 ? .answers(130) : .answers(delay)
            }
            simulation.run(arrivals: [0, 50, 51, 52, 53, 60, 90, 91, 92, 93], until: 500)
            #expect(simulation.workers(asked: 0) == [0, 1])
            #expect(simulation.endings[0] == .init(time: ending))
            #expect(simulation.lateAnswers == late)
        }
    }

    @Test("zmq_request: a worker that connects again after its connection was lost no longer counts as silent")
    func lost() {
        var simulation = RequestSimulation(workers: 2) { worker, time, _ in
            worker == 0 && time < 120 ? .silent : .answers(1)
        }
        simulation.run(arrivals: [0, 110], until: 130)
        #expect(simulation.asks.map(\.worker) == [0, 1, 1])
        simulation.lose(0)
        simulation.run(arrivals: [140], until: 150)
        #expect(simulation.asks.last == .init(time: 140, request: 2, worker: 0))
        #expect(simulation.endings.count == 3)
    }

    @Test("zmq_request: a worker that reconnects during a request is not silent because of its earlier connection")
    func lostWithRequest() {
        var simulation = RequestSimulation(workers: 1) { _, time, _ in time == 0 ? .silent : .answers(1) }
        simulation.run(arrivals: [0], until: 50)
        simulation.lose(0)
        simulation.run(arrivals: [], until: 200)
        #expect(simulation.silences.isEmpty)
        #expect(simulation.endings == [0: .init(time: 101)])
    }

    @Test("zmq_request: a silent worker at a bound address stays connected, and its late answers count")
    func bound() {
        var simulation = RequestSimulation(workers: 1, bound: [0]) { _, time, request in
            request == 0 && time == 0 ? .silent : .answers(130)
        }
        simulation.run(arrivals: [0, 50], until: 1000)
        #expect(simulation.silences.map(\.time) == [100])
        #expect(simulation.endings[1] == .init(time: 180))
        #expect(simulation.endings[0] == .init(time: 230))
    }

    @Test("zmq_request: no more requests are in flight than allowed, however many wait")
    func limit() {
        var simulation = RequestSimulation(workers: 3, limit: 1) { worker, _, _ in
            worker == 1 ? .silent : .answers(20)
        }
        simulation.run(arrivals: (0..<10).map { _ in 0 }, until: 2000)
        #expect(simulation.mostUnderWay == 1)
        #expect(simulation.endings.count == 10)
        #expect(simulation.asks.map(\.request).prefix(3) == [0, 1, 1])
    }

    @Test(
        "zmq_request: for any behavior of the workers, every request ends within the time of its tries",
        arguments: 0..<40)
    func anything(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let workers = Int.random(in: 1...4, using: &random)
        let retries = Int.random(in: 0...3, using: &random)
        // The behavior of a worker changes every 150 ms.
        let plans = (0..<workers).map { _ in
            (0..<20).map { _ -> RequestSimulation.Behaviour in
                switch Int.random(in: 0..<6, using: &random) {
                case 0: .absent
                case 1: .silent
                case 2: .answers(Int64.random(in: 80...250, using: &random))
                default: .answers(Int64.random(in: 1...40, using: &random))
                }
            }
        }
        var simulation = RequestSimulation(workers: workers, retries: retries) { worker, time, _ in
            plans[worker][min(Int(time) / 150, 19)]
        }
        let arrivals = (0..<60).map { _ in Int64.random(in: 0..<2000, using: &random) }.sorted()
        simulation.run(arrivals: arrivals, until: 3000)
        #expect(simulation.endings.count == 60)
        for (request, ending) in simulation.endings {
            #expect(ending.time - arrivals[Int(request)] <= Int64(retries + 1) * 100)
            #expect(ending.tries == 0 || ending.tries == retries + 1)
        }
        #expect(simulation.dealer.peers.allSatisfy { $0.underWay == 0 })
        #expect(simulation.dealer.deadline == nil && !simulation.dealer.isBlocked)
    }
}
