/// Distributes requests among workers: determines which worker gets a request, how long to wait for the answer, which worker gets a
/// late request, and when to give up. Performs no I/O; times are in milliseconds.
///
/// A request goes to the worker with the fewest requests in flight; workers with equally few take turns. A late request goes to a
/// worker that has not had it yet. A worker is silent if it has answered nothing within the timeout of a request. A silent worker
/// gets no requests as long as another worker takes them, except for an occasional new request that tests whether the worker is
/// back.
///
/// - Complexity: Every operation is at most O(requests × workers).
struct RequestScheduler: Sendable {
    /// The outcome for the requests whose try has timed out.
    struct Expiry: Sendable, Equatable {
        /// A request that has no tries left.
        struct GivenUp: Sendable, Equatable {
            let number: UInt64
            let tries: Int
            /// Whether the request was sent to any worker.
            let wasAsked: Bool
        }

        var givenUp: [GivenUp] = []
        /// The number of requests to repeat.
        var repeated = 0
        /// The workers that have answered nothing for at least the timeout.
        var silent: [Int] = []
    }

    private struct Request: Sendable {
        let number: UInt64
        /// The time at which the current try ends, or `nil` while no try is running.
        var deadline: Int64?
        /// The worker that has the request, or `nil` when the request waits for a worker.
        var worker: Int?
        var tries = 0
        /// The workers that have had the request, in order.
        var asked: [Int] = []
    }

    /// The state of each worker.
    private(set) var peers: [WorkerState]
    private let timeout: Int64
    private let retries: Int
    private let limit: Int
    /// The requests, in the order in which they were added.
    private var requests: [Request] = []
    /// The number of requests that were distributed so far.
    private var turn: UInt64 = 0

    /// Creates a scheduler without requests.
    ///
    /// - Parameters:
    ///   - peers: The workers.
    ///   - timeoutMs: How long to wait for an answer in each try.
    ///   - retries: How many times to repeat a request.
    ///   - limit: How many requests may be in flight, for all workers together.
    init(_ peers: [WorkerState], timeoutMs: Int, retries: Int, limit: Int = .max) {
        self.peers = peers
        timeout = Int64(timeoutMs)
        self.retries = retries
        self.limit = limit
    }

    /// The next time at which a try of a request ends.
    var deadline: Int64? { requests.compactMap(\.deadline).min() }

    /// Whether a request waits for a worker to connect.
    var isBlocked: Bool { requests.contains { $0.deadline != nil && $0.worker == nil } }

    /// Adds a request to distribute.
    mutating func add(_ number: UInt64) { requests.append(Request(number: number)) }

    /// Removes a request.
    mutating func forget(_ number: UInt64) {
        guard let index = requests.firstIndex(where: { $0.number == number }) else { return }
        takeBack(index)
        requests.remove(at: index)
    }

    /// Distributes the requests that no worker has, up to the limit of requests in flight.
    ///
    /// - Parameters:
    ///   - now: The current time.
    ///   - send: Sends a request to a worker. Called for the best worker first. Returns `false` when the worker is not connected.
    mutating func deal(at now: Int64, _ send: (_ number: UInt64, _ worker: Int) throws -> Bool) rethrows {
        begin(at: now)
        var isThere = peers.map { _ in true }
        for index in requests.indices where requests[index].deadline != nil && requests[index].worker == nil {
            for worker in order(for: requests[index], at: now) where isThere[worker] {
                isThere[worker] = try send(requests[index].number, worker)
                guard isThere[worker] else { continue }
                turn += 1
                peers[worker].deal(turn: turn, within: timeout, at: now)
                requests[index].worker = worker
                requests[index].asked.append(worker)
                break
            }
            guard isThere.contains(true) else { return }
        }
    }

    /// Records an answer, regardless of which worker has the request now.
    ///
    /// - Parameters:
    ///   - number: The request that the answer names, if any.
    ///   - worker: The worker that sent the answer.
    ///   - now: The current time.
    /// - Returns: Whether the request was still open. The answer completes it.
    mutating func answer(to number: UInt64?, by worker: Int, at now: Int64) -> Bool {
        defer { peers[worker].revive(at: now) }
        guard let number, let index = requests.firstIndex(where: { $0.number == number }) else { return false }
        takeBack(index)
        requests.remove(at: index)
        return true
    }

    /// Records that the connection to a worker was lost or could not be opened. The worker no longer counts as silent, because a
    /// different one may connect next.
    mutating func lose(_ worker: Int, at now: Int64) { peers[worker].revive(at: now) }

    /// Gives up the late requests that have no tries left, and releases all other late requests, so that they are distributed
    /// again.
    ///
    /// Also releases the other requests of a silent worker, even those whose time has not run out, because its connection is no
    /// longer of use. The requests of a bound address stay.
    mutating func expire(at now: Int64) -> Expiry {
        var expiry = Expiry()
        let isLate = requests.map { $0.deadline.map { $0 <= now } ?? false }
        guard isLate.contains(true) else { return expiry }
        expiry.silent = peers.indices.filter { peers[$0].hasNotAnswered(for: timeout, at: now) }
        for index in requests.indices {
            if isLate[index] {
                takeBack(index)
                let request = requests[index]
                if request.tries > retries {
                    expiry.givenUp.append(
                        .init(number: request.number, tries: request.tries, wasAsked: !request.asked.isEmpty))
                } else {
                    requests[index].deadline = nil
                    expiry.repeated += 1
                }
            } else if let worker = requests[index].worker, expiry.silent.contains(worker), !peers[worker].isBound {
                takeBack(index)
            }
        }
        for worker in expiry.silent { peers[worker].pause(for: timeout, at: now) }
        let ended = Set(expiry.givenUp.map(\.number))
        requests.removeAll { ended.contains($0.number) }
        return expiry
    }

    /// Starts a try for as many of the waiting requests as may be in flight.
    private mutating func begin(at now: Int64) {
        var open = requests.count { $0.deadline != nil }
        for index in requests.indices where requests[index].deadline == nil {
            guard open < limit else { return }
            requests[index].deadline = now + timeout
            requests[index].tries += 1
            open += 1
        }
    }

    /// Takes a request back from its worker.
    private mutating func takeBack(_ index: Int) {
        if let worker = requests[index].worker { peers[worker].release() }
        requests[index].worker = nil
    }

    /// Returns the workers, the best one for a request first.
    private func order(for request: Request, at now: Int64) -> [Int] {
        // A repeated request is not used to test whether a silent worker is back.
        let isNew = request.asked.isEmpty
        let ranks = peers.indices.map { worker in
            let peer = peers[worker]
            let isLast = isNew ? peer.isResting(at: now) : peer.isSilent
            return (isLast ? 1 : 0, request.asked.count { $0 == worker }, peer.underWay, peer.turn, worker)
        }
        return peers.indices.sorted { ranks[$0] < ranks[$1] }
    }
}
