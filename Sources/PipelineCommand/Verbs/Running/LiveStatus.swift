import Pipeline
import Synchronization

/// The progress of a live run: the rates of received and lost frames, and the age of results.
struct LiveStatus: StatusText, Equatable {
    var elapsed = 0.0
    /// The number of incoming frames per second.
    var rate = 0.0
    /// The number of frames per second that were dropped, could not be processed, or were lost on the wire.
    var lossRate = 0.0
    /// The time from the arrival of the last written frame until a sink wrote it, in nanoseconds. If there are several sinks,
    /// this is the longest of their times; `nil` if none is known.
    var age: Int64?

    /// The state in words: `1,000 frames/s  917 lost/s  age 12 ms`.
    var words: String {
        var parts = ["\(Self.text(rate)) frames/s", "\(Self.text(lossRate)) lost/s"]
        if let age { parts.append("age \(RunReportText.time(age))") }
        return parts.joined(separator: "  ")
    }

    private static func text(_ rate: Double) -> String {
        let tenths = Int64((rate * 10).rounded())
        return tenths < 100 && tenths % 10 != 0
            ? "\(tenths / 10).\(tenths % 10)" : ProgressBar.grouped(Int64(rate.rounded()))
    }
}

/// Computes a ``LiveStatus`` from the ledger of a run. Rates are averages over the last second or, if calls are further apart,
/// since the previous call; for the first call, since the start.
final class LiveStatusMeter: Sendable {
    private struct Count {
        let time: Int64
        let received: Int64
        let lost: Int64
    }

    private static let window: Int64 = 1_000_000_000
    private let counts: Lock<[Count]>

    /// - Parameter start: The time, in nanoseconds, before which nothing was counted.
    init(start: Int64) { counts = Lock([Count(time: start, received: 0, lost: 0)]) }

    /// Returns the status of a run.
    ///
    /// - Parameter now: The current time in nanoseconds.
    func measure(_ ledger: Ledger, now: Int64) -> LiveStatus {
        let sources = ledger.nodes.filter { $0.role == .source }
        let count = Count(time: now, received: sources.reduce(0) { $0 + $1.received }, lost: ledger.losses)
        let first = counts.withLock { counts in
            // The rates are differences from the newest count that is at least one second old, or from the oldest count.
            while counts.count > 1, counts[1].time <= now - Self.window { counts.removeFirst() }
            counts.append(count)
            return counts[0]
        }
        var status = LiveStatus()
        let seconds = Double(now - first.time) / 1e9
        if seconds > 0 {
            status.rate = Double(count.received - first.received) / seconds
            status.lossRate = Double(count.lost - first.lost) / seconds
        }
        status.age = ledger.nodes.compactMap(\.age).max()
        return status
    }
}
