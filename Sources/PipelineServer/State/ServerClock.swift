import Connectors
import Pipeline

/// The clock of the server: for its schedule, and for the times in its messages. The processing of frames never depends on it.
///
/// It starts at the time of day, and then advances with a monotonic clock. If the time of day is set later, this clock therefore
/// neither stops nor jumps, and the times of kept frames stay in order.
struct ServerClock: Sendable {
    private let start: Int64
    private let monotonic: @Sendable () -> Int64

    /// - Parameters:
    ///   - timeOfDay: The time that the clock shows first.
    ///   - monotonic: Returns the nanoseconds of a monotonic clock.
    init(startingAt timeOfDay: TimeOfDay, monotonic: @escaping @Sendable () -> Int64) {
        (start, self.monotonic) = (timeOfDay.nanoseconds - monotonic(), monotonic)
    }

    /// The milliseconds since 1970.
    var milliseconds: Int64 { (start + monotonic()) / 1_000_000 }

    private static let shared = ServerClock(startingAt: .now) { SystemClock().now }

    /// The milliseconds since 1970, on the clock that the whole program shares.
    static var milliseconds: Int64 { shared.milliseconds }
}
