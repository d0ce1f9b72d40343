import MCAP
import Pipeline

/// The rule for the times of a recorded message. The log time is the frame's arrival time, converted to the time of day. The
/// publish time is the frame's own timestamp.
struct MessageTimes: Sendable {
    private let receipt: CanonicalEncoder.Receipt
    /// The offset from the run's clock to the time of day, in nanoseconds; 0 in simulated time.
    let clockOffset: Int64

    init(_ receipt: CanonicalEncoder.Receipt, _ clock: any RunClock) {
        self.receipt = receipt
        clockOffset = clock is SystemClock ? TimeOfDay.now.nanoseconds - clock.now : 0
    }

    /// Returns the log time and the publish time of a frame, in nanoseconds.
    func times<P>(of frame: Frame<P>) -> (log: UInt64, publish: UInt64) {
        let publish = UInt64(clamping: frame.timestamp.rawValue).multipliedSaturated(by: 1000)
        if receipt == .ofRun, frame.arrival > 0 {
            return (UInt64(clamping: frame.arrival.addingSaturated(clockOffset)), publish)
        }
        return (
            frame.origin?.receivedAt.map { UInt64(clamping: $0).multipliedSaturated(by: 1000) } ?? publish, publish
        )
    }

    /// The offset that converts times of receipt in the messages to the time of day. `nil` if the messages contain no times of
    /// receipt of this run, or if the run's time is simulated.
    var metadata: Metadata? {
        guard clockOffset != 0, receipt == .ofRun else { return nil }
        return Metadata(name: "pipeline.clock", values: [StringPair("recv_us_offset", "\(clockOffset / 1000)")])
    }
}
