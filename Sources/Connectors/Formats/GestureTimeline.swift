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

        /// What was noted since it was last logged: files in which sample times went back and were raised, files in which rows of
        /// other streams are between those of a gesture, files with a column that seems to contain times but is not read, and
        /// files with columns that would be read if no columns were configured.
        private var (raised, scattered, untimed, unread) = (NotedFiles(), NotedFiles(), NotedFiles(), NotedFiles())

        /// The columns that are not read in the first of the files.
        private var (timeColumn, unreadColumns) = ("", [""])

        /// Creates a timeline that begins at 0.
        package init() {}

        /// Sets the start time of a gesture and returns its number in its stream, from 0.
        package func place(_ stroke: inout Stroke, of stream: StreamID) -> Int64 {
            timeline.place(&stroke, of: stream)
        }

        /// Notes that sample times of a file went back and were raised. Each file is noted once.
        func noteRaisedFile(_ file: String) { raised.add(file) }

        /// Notes that rows of other streams are between those of a gesture of a file. Each file is noted once.
        func noteScatteredFile(_ file: String) { scattered.add(file) }

        /// Notes that a column of a file is not read although its name is that of a time. Each file is noted once.
        func noteUnreadTime(_ column: String, of file: String) {
            if untimed.count == 0 { timeColumn = column }
            untimed.add(file)
        }

        /// Notes columns of a file that would be read if no columns were configured. Each file is noted once.
        func noteUnreadColumns(_ columns: [String], of file: String) {
            if unread.count == 0 { unreadColumns = columns }
            unread.add(file)
        }

        /// Logs what was noted about the `count` files of a pass, and counts from 0 again.
        func report(to log: Log, files count: Int) {
            if raised.count > 0 {
                log(.info, "\(raised.text(of: count)) had sample times that went back; they were raised")
            }
            if scattered.count > 0 {
                log(
                    .warning,
                    "in \(scattered.text(of: count)), rows of other streams are between the rows of a gesture, which became several gestures; sort the rows by stream"
                )
            }
            if untimed.count > 0 {
                log(
                    .warning,
                    "in \(untimed.text(of: count)), the column \"\(timeColumn.shown)\" seems to contain times but is not read; name it with decode: { columns: { t: … }, t_unit: … }"
                )
            }
            if unread.count > 0 {
                let names = unreadColumns.map { "\"\($0)\"" }.joined(separator: ", ")
                let columns = unreadColumns.map { "\($0): \($0)" }.joined(separator: ", ")
                log(
                    .warning,
                    "in \(unread.text(of: count)), the header has columns that are not read, because decode: { columns: … } assigns others: \(names); assign them, too: columns: { \(columns) }"
                )
            }
            (raised, scattered, untimed, unread) = (NotedFiles(), NotedFiles(), NotedFiles(), NotedFiles())
        }

        /// Returns the time of an item without a duration, and its number in its stream, from 0.
        func next(of stream: StreamID, hz: Double?) -> (Timestamp, Int64) { timeline.next(of: stream, hz: hz) }

        /// Leaves out the place of an item that could not be read.
        func skip() { timeline.skip() }
    }
}

/// The files of a pass about which something was noted.
private struct NotedFiles {
    private(set) var count = 0
    private var names: [String] = []

    /// Adds a file. Only the first three are named.
    mutating func add(_ file: String) {
        count += 1
        if names.count < 3 { names.append(file.shown) }
    }

    /// Returns how many of the files they are, and their names, as in `2 of 5 files (a.csv, b.csv)`.
    func text(of total: Int) -> String {
        "\(count) of \(total) files (\(names.joined(separator: ", "))\(count > names.count ? ", …" : ""))"
    }
}
