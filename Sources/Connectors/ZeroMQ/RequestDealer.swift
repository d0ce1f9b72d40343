/// Deals requests out among workers: who is sent which, for how long it is awaited, to whom it goes when it is late, and when
/// it is given up. Pure state; times are in milliseconds.
///
/// A request goes to the worker with the fewest under way, turn by turn among equals. One that is late goes to a worker that has
/// not had it yet. A worker that answered nothing in the time of a request is silent: it is passed over as long as another
/// takes requests, but for one new request now and then, which finds out whether it has come back. All operations are
/// O(requests × workers) at most.
struct RequestDealer: Sendable {
    /// What has become of requests whose time was over.
    struct Expiry: Sendable, Equatable {
        /// A request that was tried often enough.
        struct GivenUp: Sendable, Equatable {
            let number: UInt64
            let tries: Int
            /// Whether anybody was there to be asked.
            let wasAsked: Bool
        }

        var givenUp: [GivenUp] = []
        /// How many are to be asked again.
        var repeated = 0
        /// The workers that have answered nothing in all that time.
        var silent: [Int] = []
    }

    private struct Request: Sendable {
        let number: UInt64
        /// When its time is over; `nil` before it may be sent.
        var deadline: Int64?
        /// Who has it; `nil` when it waits for somebody to come.
        var worker: Int?
        var tries = 0
        /// Who has had it, in turn.
        var asked: [Int] = []
    }

    /// What is known of the workers.
    private(set) var peers: [RequestPeer]
    private let timeout: Int64
    private let retries: Int
    private let limit: Int
    /// In the order asked.
    private var requests: [Request] = []
    private var turn: UInt64 = 0

    /// - Parameters:
    ///   - timeoutMs: How long a request is awaited each time.
    ///   - retries: How often it is asked again.
    ///   - limit: How many may be under way, of all workers together.
    init(_ peers: [RequestPeer], timeoutMs: Int, retries: Int, limit: Int = .max) {
        self.peers = peers
        timeout = Int64(timeoutMs)
        self.retries = retries
        self.limit = limit
    }

    /// When the time of a request is over next.
    var deadline: Int64? { requests.compactMap(\.deadline).min() }

    /// Whether a request waits for somebody to come.
    var isBlocked: Bool { requests.contains { $0.deadline != nil && $0.worker == nil } }

    /// Takes a request, to be dealt out.
    mutating func add(_ number: UInt64) { requests.append(Request(number: number)) }

    /// Forgets a request.
    mutating func forget(_ number: UInt64) {
        guard let index = requests.firstIndex(where: { $0.number == number }) else { return }
        takeBack(index)
        requests.remove(at: index)
    }

    /// Deals out what may be under way and nobody has.
    ///
    /// - Parameter send: Sends a request to a worker, the best first; false when that one is not there.
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

    /// Takes note of an answer, whichever worker has the request by now.
    ///
    /// - Parameter number: The request that it names, if it names one.
    /// - Returns: Whether that one is still open, and is answered by this.
    mutating func answer(to number: UInt64?, by worker: Int, at now: Int64) -> Bool {
        defer { peers[worker].revive(at: now) }
        guard let number, let index = requests.firstIndex(where: { $0.number == number }) else { return false }
        takeBack(index)
        requests.remove(at: index)
        return true
    }

    /// Notes that the connection to a worker was lost, or could not be made: whoever comes then has been asked nothing.
    mutating func lose(_ worker: Int, at now: Int64) { peers[worker].revive(at: now) }

    /// Gives up what was tried often enough, and lets the rest of what is late be distributed again. What a silent worker has
    /// besides is distributed again as well, within its time: its connection is of no use any more.
    mutating func expire(at now: Int64) -> Expiry {
        var expiry = Expiry()
        let isLate = requests.map { $0.deadline.map { $0 <= now } ?? false }
        guard isLate.contains(true) else { return expiry }
        expiry.silent = peers.indices.filter { peers[$0].isSilent(for: timeout, at: now) }
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

    /// Begins a try of as many as may be under way.
    private mutating func begin(at now: Int64) {
        var open = requests.count { $0.deadline != nil }
        for index in requests.indices where requests[index].deadline == nil {
            guard open < limit else { return }
            requests[index].deadline = now + timeout
            requests[index].tries += 1
            open += 1
        }
    }

    private mutating func takeBack(_ index: Int) {
        if let worker = requests[index].worker { peers[worker].release() }
        requests[index].worker = nil
    }

    /// The workers, the best for a request first.
    private func order(for request: Request, at now: Int64) -> [Int] {
        // What was late already is not risked to find out whether a silent worker has come back.
        let isNew = request.asked.isEmpty
        let ranks = peers.indices.map { worker in
            let peer = peers[worker]
            let isLast = isNew ? peer.isResting(at: now) : peer.isSilent
            return (isLast ? 1 : 0, request.asked.count { $0 == worker }, peer.underWay, peer.turn, worker)
        }
        return peers.indices.sorted { ranks[$0] < ranks[$1] }
    }
}
