import Pipeline
import Stages

/// Places gestures that have no common clock one after another.
package struct GestureTimeline {
    /// The time between the last sample of a gesture and the first sample of the next, in microseconds.
    static let pause: Int64 = 1_000_000

    private var nextStart = Timestamp.zero
    private var count: Int64 = 0
    private var counters = StreamCounters()

    /// Sets the start time of a gesture and returns its number in its stream, from 0.
    mutating func place(_ stroke: inout Stroke, of stream: StreamID) -> Int64 {
        stroke.start = nextStart
        nextStart = stroke.end.advanced(byMicroseconds: Self.pause)
        count += 1
        return counters.next(of: stream)
    }

    /// Returns the time of an item without a duration, such as an image, and its number in its stream, from 0.
    ///
    /// - Parameter hz: The number of items per second. If `nil`, consecutive items are ``pause`` apart.
    mutating func next(of stream: StreamID, hz: Double?) -> (Timestamp, Int64) {
        defer { count += 1 }
        let number = counters.next(of: stream)
        guard let hz else {
            defer { nextStart = nextStart.advanced(byMicroseconds: Self.pause) }
            return (nextStart, number)
        }
        return (Timestamp(rawValue: Int64((Double(count) * 1e6 / hz).rounded())), number)
    }

    /// Leaves out the place of an item that could not be read.
    mutating func skip() {
        count += 1
        nextStart = nextStart.advanced(byMicroseconds: Self.pause)
    }

    /// A timeline that the readers of several files share.
    // Belongs to one source, which calls it from one thread at a time.
    package final class Shared: @unchecked Sendable {
        private var timeline = GestureTimeline()

        /// The number of files in which sample times went back and were raised, since this was last logged.
        private var raisedFiles = 0

        /// The number of files in which rows of other streams are between those of a gesture, since this was last logged.
        private var scatteredFiles = 0

        /// The number of files with a column that seems to contain times but is not read, since this was last logged, and the name of
        /// the first such column.
        private var untimedFiles = 0
        private var timeColumn = ""

        /// Creates a timeline that begins at 0.
        package init() {}

        /// Sets the start time of a gesture and returns its number in its stream, from 0.
        package func place(_ stroke: inout Stroke, of stream: StreamID) -> Int64 {
            timeline.place(&stroke, of: stream)
        }

        /// Notes that sample times of a file went back and were raised. Each file is noted once.
        func noteRaisedFile() { raisedFiles += 1 }

        /// Notes that rows of other streams are between those of a gesture of a file. Each file is noted once.
        func noteScatteredFile() { scatteredFiles += 1 }

        /// Notes that a column of a file is not read although its name is that of a time. Each file is noted once.
        func noteUnreadTime(_ column: String) {
            if untimedFiles == 0 { timeColumn = column }
            untimedFiles += 1
        }

        /// Logs what was noted about the `count` files of a pass, and counts from 0 again.
        func report(to log: Log, files count: Int) {
            if raisedFiles > 0 {
                log(.info, "\(raisedFiles) of \(count) files had sample times that went back; they were raised")
            }
            if scatteredFiles > 0 {
                log(
                    .warning,
                    "in \(scatteredFiles) of \(count) files, rows of other streams are between the rows of a gesture, which became several gestures; sort the rows by stream"
                )
            }
            if untimedFiles > 0 {
                log(
                    .warning,
                    "in \(untimedFiles) of \(count) files, the column \"\(timeColumn.shown)\" seems to contain times but is not read; name it with decode: { columns: { t: … }, t_unit: … }"
                )
            }
            (raisedFiles, scatteredFiles, untimedFiles) = (0, 0, 0)
        }

        /// Returns the time of an item without a duration, and its number in its stream, from 0.
        func next(of stream: StreamID, hz: Double?) -> (Timestamp, Int64) { timeline.next(of: stream, hz: hz) }

        /// Leaves out the place of an item that could not be read.
        func skip() { timeline.skip() }
    }
}
