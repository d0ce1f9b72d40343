import Pipeline
import Stages

/// Computes rates, for example over the last second or minute, from samples of a run's ledger.
struct RateMeter {
    /// Rates in frames per second.
    struct Rates {
        var received = 0.0
        var emitted = 0.0
        var dropped = 0.0
        /// Of frames that are lost, which includes those that are dropped for a reason that counts as a loss.
        var lost = 0.0
        var failed = 0.0
    }

    private struct Counts {
        let received: Int64
        let emitted: Int64
        let dropped: Int64
        let lost: Int64
        let failed: Int64
    }

    private struct Sample {
        /// The time in milliseconds.
        let time: Int64
        let nodes: [Counts]
        let edges: [Counts]
    }

    private var samples: [Sample] = []
    private static let secondsKept: Int64 = 60

    /// Adds a sample of the ledger's counts at a time in milliseconds. Call this about once a second.
    mutating func add(_ ledger: Ledger, at time: Int64) {
        let sample = Sample(
            time: time,
            nodes: ledger.nodes.map {
                Counts(
                    received: $0.received, emitted: $0.role == .sink ? $0.passed : $0.emitted, dropped: $0.droppedTotal,
                    lost: $0.lostTotal, failed: $0.failed)
            },
            edges: ledger.edges.map {
                Counts(
                    received: $0.offered, emitted: $0.taken, dropped: $0.droppedTotal, lost: $0.lostTotal, failed: 0)
            })
        // The ledger has no nodes until the run has started, so earlier samples may have fewer. They cannot be compared.
        if samples.last.map({ $0.nodes.count != sample.nodes.count || $0.edges.count != sample.edges.count }) == true {
            samples.removeAll()
        }
        samples.append(sample)
        while samples.count > 2, samples[1].time <= time - Self.secondsKept * 1000 { samples.removeFirst() }
    }

    /// The time of the last sample, in milliseconds.
    var last: Int64? { samples.last?.time }

    /// Returns the rates of a node over the last `seconds` seconds; `nil` until there are two samples, or if the last samples are too
    /// far apart.
    func node(_ index: Int, seconds: Int64) -> Rates? { rates(index, seconds, \.nodes) }

    /// Returns the rates of an edge over the last `seconds` seconds; `nil` as for a node. `received` is the rate of offered frames,
    /// and `emitted` is the rate of taken frames.
    func edge(_ index: Int, seconds: Int64) -> Rates? { rates(index, seconds, \.edges) }

    private func rates(_ index: Int, _ seconds: Int64, _ list: (Sample) -> [Counts]) -> Rates? {
        guard let last = samples.last, samples.count > 1 else { return nil }
        let before = samples.dropLast()
        guard let first = before.last(where: { $0.time <= last.time - seconds * 1000 }) ?? before.first else {
            return nil
        }
        let (old, new) = (list(first), list(last))
        let span = Double(last.time - first.time) / 1000
        guard span > 0, span < Double(2 * seconds + 1), old.indices.contains(index), new.indices.contains(index) else {
            return nil
        }
        return Rates(
            received: Double(new[index].received - old[index].received) / span,
            emitted: Double(new[index].emitted - old[index].emitted) / span,
            dropped: Double(new[index].dropped - old[index].dropped) / span,
            lost: Double(new[index].lost - old[index].lost) / span,
            failed: Double(new[index].failed - old[index].failed) / span)
    }
}
