import CKafka
import Pipeline
import Synchronization

/// Counts the frames of one producer that brokers have acknowledged, and the messages whose delivery has failed. The client's
/// threads call ``note(_:of:)``.
final class KafkaDeliveries: Sendable {
    private struct State {
        var writtenFrames: Int64 = 0
        var undelivered: (code: KafkaCode, count: Int64)?
    }

    private let state = Lock(State())

    /// Returns the value to attach to a message. ``note(_:of:)`` gets this value back with the outcome of the message.
    ///
    /// - Parameter isFrame: Whether the message contains a frame; `false` if it only ends a stream.
    func mark(isFrame: Bool) -> UnsafeMutableRawPointer? {
        let address = UInt(bitPattern: Unmanaged.passUnretained(self).toOpaque())
        // The lowest bit is free, because objects have even addresses.
        return UnsafeMutableRawPointer(bitPattern: address | (isFrame ? 1 : 0))
    }

    /// Records the outcome of a message. The object that made the mark must still exist (``KafkaClient/retain(_:)``).
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

    /// Whether messages have failed since the last call of ``takeUndelivered()``.
    var hasUndelivered: Bool { state.withLock { $0.undelivered != nil } }

    /// Returns the number of messages that have failed since the last call, and the reason for the last failure. Returns `nil` if
    /// none have failed.
    func takeUndelivered() -> (code: KafkaCode, count: Int64)? {
        state.withLock { state in
            defer { state.undelivered = nil }
            return state.undelivered
        }
    }
}
