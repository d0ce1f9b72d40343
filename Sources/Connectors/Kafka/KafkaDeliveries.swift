import CKafka
import Pipeline
import Synchronization

/// Which messages of one producer brokers have acknowledged. The threads of the client report here.
final class KafkaDeliveries: Sendable {
    private struct State {
        var writtenFrames: Int64 = 0
        var undelivered: (code: KafkaCode, count: Int64)?
    }

    private let state = Lock(State())

    /// Returns the value to send along with a message, by which ``note(_:of:)`` knows it again.
    ///
    /// - Parameter isFrame: Whether the message is a frame, and does not only end a stream.
    func mark(isFrame: Bool) -> UnsafeMutableRawPointer? {
        let address = UInt(bitPattern: Unmanaged.passUnretained(self).toOpaque())
        // Objects have even addresses.
        return UnsafeMutableRawPointer(bitPattern: address | (isFrame ? 1 : 0))
    }

    /// Records the outcome of a message. Its producer must still exist.
    static func note(_ code: KafkaCode, of mark: UnsafeMutableRawPointer?) {
        let address = UInt(bitPattern: mark)
        guard let object = UnsafeRawPointer(bitPattern: address & ~1) else { return }
        let deliveries = Unmanaged<KafkaDeliveries>.fromOpaque(object).takeUnretainedValue()
        deliveries.state.withLock { state in
            if code == .none {
                if address & 1 == 1 { state.writtenFrames += 1 }
            } else {
                state.undelivered = (code, (state.undelivered?.count ?? 0) + 1)
            }
        }
    }

    /// The number of frames that brokers have acknowledged.
    var writtenFrames: Int64 { state.withLock { $0.writtenFrames } }

    /// Whether messages were not acknowledged, and were not taken by ``takeUndelivered()``.
    var hasUndelivered: Bool { state.withLock { $0.undelivered != nil } }

    /// Takes the number of messages that no broker has acknowledged, and the reason for the last.
    func takeUndelivered() -> (code: KafkaCode, count: Int64)? {
        state.withLock { state in
            defer { state.undelivered = nil }
            return state.undelivered
        }
    }
}
