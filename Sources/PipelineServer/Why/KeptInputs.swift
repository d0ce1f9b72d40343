import Pipeline
import Stages

/// What a source has brought last, to be run again when somebody asks why: of so many seconds and bytes, whichever is less.
struct KeptInputs {
    private static var mostSeconds: Int64 { 60 }
    private static var mostBytes: Int { 16 << 20 }

    private var batches: [(time: Int64, bytes: Int, frames: [WatchedFrame])] = []
    private var bytes = 0

    /// Adds what has come, at a time in milliseconds. What a frame takes is told by the last one.
    mutating func add(_ frames: [WatchedFrame], at now: Int64) {
        guard let last = frames.last else { return }
        let size = frames.count * (ShownFrame(last).payload?.count ?? 1 << 16)
        batches.append((now, size, frames))
        bytes += size
    }

    /// Forgets what is too old at a time, and what is too much.
    mutating func forget(at now: Int64) {
        var count = 0
        while count < batches.count, batches[count].time < now - Self.mostSeconds * 1000 || bytes > Self.mostBytes {
            bytes -= batches[count].bytes
            count += 1
        }
        batches.removeFirst(count)
    }

    /// All that is kept, the oldest first.
    var all: [WatchedFrame] { batches.flatMap(\.frames) }
}
