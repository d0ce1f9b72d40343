import Pipeline
import Stages

/// Puts gestures that know no common time one after another.
package struct GestureTimeline {
    /// The time between the last sample of a gesture and the first of the next, in microseconds.
    static let pause: Int64 = 1_000_000

    private var nextStart = Timestamp.zero
    private var count: Int64 = 0

    /// Gives a gesture its place; the number of the gesture.
    mutating func place(_ stroke: inout Stroke) -> Int64 {
        stroke.start = nextStart
        nextStart = stroke.end.advanced(byMicroseconds: Self.pause)
        defer { count += 1 }
        return count
    }

    /// The place of something that takes no time, such as a picture, and its number.
    ///
    /// - Parameter hz: How many there are a second; without it the pause lies between them.
    mutating func next(hz: Double?) -> (Timestamp, Int64) {
        defer { count += 1 }
        guard let hz else {
            defer { nextStart = nextStart.advanced(byMicroseconds: Self.pause) }
            return (nextStart, count)
        }
        return (Timestamp(rawValue: Int64((Double(count) * 1e6 / hz).rounded())), count)
    }

    /// One that the readers of several files put their gestures on.
    // Belongs to one source, which calls it from one thread at a time.
    package final class Shared: @unchecked Sendable {
        private var timeline = GestureTimeline()

        /// Begins at 0.
        package init() {}

        /// Gives a gesture its place; the number of the gesture.
        package func place(_ stroke: inout Stroke) -> Int64 { timeline.place(&stroke) }

        /// The place of something that takes no time.
        func next(hz: Double?) -> (Timestamp, Int64) { timeline.next(hz: hz) }
    }
}
