@testable import Connectors

/// Workers and the requests sent to them, in virtual time and without sockets.
struct RequestSimulation {
    /// The behavior of a worker for a request.
    enum Behaviour: Equatable {
        /// It is not connected.
        case absent
        /// It takes the request and never answers.
        case silent
        /// It answers after the given number of milliseconds.
        case answers(Int64)
    }

    /// A request that was sent.
    struct Ask: Equatable {
        let time: Int64
        let request: UInt64
        let worker: Int
    }

    /// The outcome of a request.
    struct Ending: Equatable {
        let time: Int64
        /// The number of failed attempts; 0 if it was answered.
        var tries = 0
    }

    private struct Answer {
        let time: Int64
        let request: UInt64
        let worker: Int
        /// The connection to the worker on which the request was sent.
        let connection: Int
    }

    /// The behavior of a worker at a time, for a request.
    let behavior: (_ worker: Int, _ time: Int64, _ request: UInt64) -> Behaviour
    private(set) var dealer: RequestScheduler
    private(set) var now: Int64 = 0
    private(set) var asks: [Ask] = []
    private(set) var endings: [UInt64: Ending] = [:]
    /// The times at which workers were found silent.
    private(set) var silences: [(time: Int64, worker: Int)] = []
    private(set) var repeated = 0
    private(set) var lateAnswers = 0
    /// The largest number of requests in flight at a time, for all workers together.
    private(set) var mostUnderWay = 0
    private var connections: [Int]
    private var answers: [Answer] = []
    private var next: UInt64 = 0

    /// - Parameter bound: The workers that are a bound address, to which any number of programs can connect.
    init(
        workers: Int, timeoutMs: Int = 100, retries: Int = 3, limit: Int = .max, bound: Set<Int> = [],
        _ behavior: @escaping (_ worker: Int, _ time: Int64, _ request: UInt64) -> Behaviour
    ) {
        self.behavior = behavior
        dealer = RequestScheduler(
            (0..<workers).map { WorkerState(isBound: bound.contains($0)) }, timeoutMs: timeoutMs, retries: retries,
            limit: limit)
        connections = .init(repeating: 0, count: workers)
    }

    /// Returns the workers that received a request, in order.
    func workers(asked request: UInt64) -> [Int] { asks.filter { $0.request == request }.map(\.worker) }

    /// Returns the times at which a worker received requests.
    func times(asked worker: Int) -> [Int64] { asks.filter { $0.worker == worker }.map(\.time) }

    /// Adds requests, numbered from 0 on, at these ascending times, and runs until `end`.
    mutating func run(arrivals: [Int64], until end: Int64) {
        var rest = arrivals[...]
        while now <= end {
            while let time = rest.first, time <= now {
                rest.removeFirst()
                dealer.add(next)
                next += 1
            }
            step()
            // The scheduler's times are in milliseconds.
            now += 1
        }
    }

    /// Closes the connection of a worker. Its requests are lost.
    mutating func lose(_ worker: Int) {
        connections[worker] += 1
        dealer.lose(worker, at: now)
    }

    private mutating func step() {
        for answer in answers where answer.time == now {
            guard answer.connection == connections[answer.worker] else { continue }
            if dealer.answer(to: answer.request, by: answer.worker, at: now) {
                endings[answer.request] = Ending(time: now)
            } else {
                lateAnswers += 1
            }
        }
        answers.removeAll { $0.time <= now }
        let expiry = dealer.expire(at: now)
        repeated += expiry.repeated
        for request in expiry.givenUp { endings[request.number] = Ending(time: now, tries: request.tries) }
        for worker in expiry.silent {
            silences.append((now, worker))
            if !dealer.peers[worker].isBound { connections[worker] += 1 }
        }
        let time = now
        var dealt: [Ask] = []
        dealer.deal(at: now) { [behavior] request, worker in
            if behavior(worker, time, request) == .absent { return false }
            dealt.append(Ask(time: time, request: request, worker: worker))
            return true
        }
        asks += dealt
        for ask in dealt {
            guard case .answers(let delay) = behavior(ask.worker, now, ask.request) else { continue }
            answers.append(
                Answer(
                    time: now + max(1, delay), request: ask.request, worker: ask.worker,
                    connection: connections[ask.worker]))
        }
        mostUnderWay = max(mostUnderWay, dealer.peers.reduce(0) { $0 + $1.underWay })
    }
}
