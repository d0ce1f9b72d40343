/// Assigns the streams of a segment to its workers. The number of streams is limited: if there are too many, the least recently
/// used stream is evicted.
///
/// A new stream is assigned to the worker that has the fewest streams. Evictions depend only on the order of the calls. If a worker
/// has not yet removed a stream that has ended or was evicted, a new stream of the same name is assigned to the same worker.
struct StreamHomes {
    /// The worker of a stream.
    struct Home {
        let worker: Int
        /// The position of the stream in the order of arrival.
        let ordinal: Int
        /// The stream that must be evicted before this stream begins, and its worker.
        var evicted: (stream: StreamID, worker: Int)?
    }

    private var homes: RecentStreams<Home>
    /// The number of streams of each worker.
    private var loads: [Int]
    /// The streams that have ended or were evicted but were not yet removed by their worker, with the worker and the number of
    /// pending removals.
    private var leaving: [StreamID: (worker: Int, count: Int)] = [:]
    private var ordinals = 0

    init(workers: Int, maxStreams: Int) {
        homes = RecentStreams(capacity: maxStreams)
        loads = Array(repeating: 0, count: workers)
    }

    /// Returns the worker of a stream, if it has one.
    func worker(of stream: StreamID) -> Int? { homes.known(stream)?.worker }

    /// Returns the worker and the ordinal of a stream, if it has them.
    func home(of stream: StreamID) -> Home? { homes.known(stream) }

    /// The streams in order of arrival, and in order of use with the least recently used first.
    var order: (byArrival: [StreamID], byUse: [StreamID]) {
        let all = homes.all
        return (all.sorted { $0.value.ordinal < $1.value.ordinal }.map(\.key), all.map(\.key))
    }

    /// Returns the destination of a frame of a stream.
    mutating func use(_ stream: StreamID) -> Home {
        if let home = homes[stream] { return home }
        let worker = leaving[stream]?.worker ?? loads.indices.min { loads[$0] < loads[$1] } ?? 0
        let evicted = homes.update(stream, Home(worker: worker, ordinal: ordinals))
        defer { ordinals += 1 }
        loads[worker] += 1
        if let evicted { leave(evicted.key, evicted.value.worker) }
        return Home(worker: worker, ordinal: ordinals, evicted: evicted.map { ($0.key, $0.value.worker) })
    }

    /// Records that a stream has ended. Returns its worker.
    mutating func end(_ stream: StreamID) -> Int? {
        guard let home = homes.remove(stream) else { return nil }
        leave(stream, home.worker)
        return home.worker
    }

    /// Records that a worker has removed a stream that has ended or was evicted.
    mutating func left(_ stream: StreamID) {
        guard let entry = leaving[stream] else { return }
        leaving[stream] = entry.count > 1 ? (entry.worker, entry.count - 1) : nil
    }

    private mutating func leave(_ stream: StreamID, _ worker: Int) {
        loads[worker] -= 1
        leaving[stream] = (worker, (leaving[stream]?.count ?? 0) + 1)
    }
}
