/// Which of a segment's workers has a stream, for at most so many streams: of more, the one not seen for longest goes.
///
/// A new stream goes to the worker that has the fewest, and which stream goes depends on the order of the calls only. While a worker
/// has still to let go of a stream, what comes of that name anew goes to the same one.
struct StreamHomes {
    private struct Home {
        let worker: Int
        /// Which one the stream is in the order of their coming.
        let ordinal: Int
    }

    /// Where a frame goes.
    struct Use: Equatable {
        let worker: Int
        let ordinal: Int
        /// The stream that has to go first, and who has it.
        var evicted: (stream: StreamID, worker: Int)?

        static func == (a: Use, b: Use) -> Bool {
            (a.worker, a.ordinal, a.evicted?.stream, a.evicted?.worker)
                == (b.worker, b.ordinal, b.evicted?.stream, b.evicted?.worker)
        }
    }

    private var homes: RecentStreams<Home>
    /// How many streams each worker has.
    private var loads: [Int]
    /// Who has still to let go of a stream, and how often.
    private var leaving: [StreamID: (worker: Int, count: Int)] = [:]
    private var ordinals = 0

    init(workers: Int, maxStreams: Int) {
        homes = RecentStreams(capacity: maxStreams)
        loads = Array(repeating: 0, count: workers)
    }

    /// Who has a stream, if anybody has.
    func worker(of stream: StreamID) -> Int? { homes.known(stream)?.worker }

    /// A frame of a stream has come.
    mutating func use(_ stream: StreamID) -> Use {
        if let home = homes[stream] { return Use(worker: home.worker, ordinal: home.ordinal) }
        let worker = leaving[stream]?.worker ?? loads.indices.min { loads[$0] < loads[$1] } ?? 0
        let evicted = homes.update(stream, Home(worker: worker, ordinal: ordinals))
        defer { ordinals += 1 }
        loads[worker] += 1
        if let evicted { leave(evicted.stream, evicted.value.worker) }
        return Use(worker: worker, ordinal: ordinals, evicted: evicted.map { ($0.stream, $0.value.worker) })
    }

    /// A stream has ended. Returns who has it.
    mutating func end(_ stream: StreamID) -> Int? {
        guard let home = homes.remove(stream) else { return nil }
        leave(stream, home.worker)
        return home.worker
    }

    /// A worker has let go of a stream that has ended or was evicted.
    mutating func left(_ stream: StreamID) {
        guard let entry = leaving[stream] else { return }
        leaving[stream] = entry.count > 1 ? (entry.worker, entry.count - 1) : nil
    }

    private mutating func leave(_ stream: StreamID, _ worker: Int) {
        loads[worker] -= 1
        leaving[stream] = (worker, (leaving[stream]?.count ?? 0) + 1)
    }
}
