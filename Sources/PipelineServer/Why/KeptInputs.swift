import Pipeline
import Stages

/// The recent input of a source, kept to be processed again when a result is explained. Limited in time and in memory.
struct KeptInputs {
    private static var mostSeconds: Int64 { 60 }
    private static var mostBytes: Int { 16 << 20 }

    private var batches: [(time: Int64, bytes: Int, frames: [WatchedFrame])] = []
    private var bytes = 0

    /// Adds frames. Their memory size is estimated from the last frame.
    ///
    /// - Parameter now: The current time in milliseconds.
    mutating func add(_ frames: [WatchedFrame], at now: Int64) {
        guard let last = frames.last else { return }
        let size = frames.count * (ShownFrame(last).payload?.count ?? 1 << 16)
        batches.append((now, size, frames))
        bytes += size
    }

    /// Removes frames that are too old, and the oldest frames until the rest is within the memory limit.
    ///
    /// - Parameter now: The current time in milliseconds.
    mutating func forget(at now: Int64) {
        var count = 0
        while count < batches.count, batches[count].time < now - Self.mostSeconds * 1000 || bytes > Self.mostBytes {
            bytes -= batches[count].bytes
            count += 1
        }
        batches.removeFirst(count)
    }

    /// All kept frames, oldest first.
    var all: [WatchedFrame] { batches.flatMap(\.frames) }
}
