import Connectors
import Pipeline
import Synchronization
import Testing

@testable import PipelineServer

@Suite("The clock of the server")
struct ServerClockTests {
    @Test("Times of the server start at the time of day, and then follow a monotonic clock, which nobody can set back")
    func monotonic() {
        let elapsed = Lock<Int64>(5_000_000_000)
        let clock = ServerClock(startingAt: TimeOfDay(nanoseconds: 1_770_000_000_123_000_000)) {
            elapsed.withLock { $0 }
        }
        #expect(clock.milliseconds == 1_770_000_000_123)
        elapsed.withLock { $0 += 3_600_000_000_000 }
        #expect(clock.milliseconds == 1_770_003_600_123)
    }
}
