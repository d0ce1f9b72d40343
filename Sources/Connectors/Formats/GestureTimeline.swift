import Pipeline
import Stages

/// Places gestures that have no common clock one after another.
package struct GestureTimeline {
    /// The time between the last sample of a gesture and the first sample of the next, in microseconds.
    static let pause: Int64 = 1_000_000

    private var nextStart = Timestamp.zero
    private var count: Int64 = 0

    /// Sets the start time of a gesture and returns the number of the gesture, from 0.
    mutating func place(_ stroke: inout Stroke) -> Int64 {
        stroke.start = nextStart
        nextStart = stroke.end.advanced(byMicroseconds: Self.pause)
        defer { count += 1 }
        return count
    }

    /// Returns the time and the number of an item without a duration, such as an image.
    ///
    /// - Parameter hz: The number of items per second. If `nil`, consecutive items are ``pause`` apart.
    mutating func next(hz: Double?) -> (Timestamp, Int64) {
        defer { count += 1 }
        guard let hz else {
            defer { nextStart = nextStart.advanced(byMicroseconds: Self.pause) }
            return (nextStart, count)
        }
        return (Timestamp(rawValue: Int64((Double(count) * 1e6 / hz).rounded())), count)
    }

    /// A timeline that the readers of several files share.
    // Belongs to one source, which calls it from one thread at a time.
    package final class Shared: @unchecked Sendable {
        private var timeline = GestureTimeline()

        /// Creates a timeline that begins at 0.
        package init() {}

        /// Sets the start time of a gesture and returns the number of the gesture, from 0.
        package func place(_ stroke: inout Stroke) -> Int64 { timeline.place(&stroke) }

        /// Returns the time and the number of an item without a duration.
        func next(hz: Double?) -> (Timestamp, Int64) { timeline.next(hz: hz) }
    }
}
