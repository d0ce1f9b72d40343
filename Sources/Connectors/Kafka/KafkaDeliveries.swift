import CKafka
import Pipeline
import Synchronization

/// Counts the frames of one producer that brokers have acknowledged, and the messages whose delivery has failed. The client's
/// threads call ``note(_:of:bytes:)``.
final class KafkaDeliveries: Sendable {
    /// Messages that brokers have refused because of their size, or because of the size of the batch that they were part of.
    struct Refused {
        var messages: Int64 = 0
        var frames: Int64 = 0
        /// The size of the largest message, in bytes.
        var largest = 0
    }

    private struct State {
        var writtenFrames: Int64 = 0
        var undelivered: (code: KafkaCode, count: Int64)?
        var refused: Refused?
    }

    private let state = Lock(State())

    /// Returns the value to attach to a message. ``note(_:of:bytes:)`` gets this value back with the outcome of the message.
    ///
    /// - Parameter isFrame: Whether the message contains a frame; `false` if it only ends a stream.
    func mark(isFrame: Bool) -> UnsafeMutableRawPointer? {
        let address = UInt(bitPattern: Unmanaged.passUnretained(self).toOpaque())
        // The lowest bit is free, because objects have even addresses.
        return UnsafeMutableRawPointer(bitPattern: address | (isFrame ? 1 : 0))
    }

    /// Records the outcome of a message. The object that made the mark must still exist (``KafkaClient/retain(_:)``).
    static func note(_ code: KafkaCode, of mark: UnsafeMutableRawPointer?, bytes: Int) {
        let address = UInt(bitPattern: mark)
        guard let object = UnsafeRawPointer(bitPattern: address & ~1) else { return }
        let deliveries = Unmanaged<KafkaDeliveries>.fromOpaque(object).takeUnretainedValue()
        deliveries.state.withLock { state in
            let isFrame = address & 1 == 1
            switch code {
            case .none: if isFrame { state.writtenFrames += 1 }
            case .tooLarge:
                var refused = state.refused ?? Refused()
                refused.messages += 1
                if isFrame { refused.frames += 1 }
                refused.largest = max(refused.largest, bytes)
                state.refused = refused
            default: state.undelivered = (state.undelivered?.code ?? code, (state.undelivered?.count ?? 0) + 1)
            }
        }
    }

    /// The number of frames that brokers have acknowledged.
    var writtenFrames: Int64 { state.withLock { $0.writtenFrames } }

    /// Whether messages have failed since the last calls of ``takeUndelivered()`` and ``takeRefused()``.
    var hasFailures: Bool { state.withLock { $0.undelivered != nil || $0.refused != nil } }

    /// The number of frames that were refused because of their size since the last call of ``takeRefused()``.
    var refusedFrames: Int64 { state.withLock { $0.refused?.frames ?? 0 } }

    /// Returns the messages that were refused because of their size since the last call; `nil` if there are none.
    func takeRefused() -> Refused? {
        state.withLock { state in
            defer { state.refused = nil }
            return state.refused
        }
    }

    /// Returns the number of messages that have failed for another reason since the last call, and the reason for the first
    /// failure, which is often the cause of the others. Returns `nil` if none have failed.
    func takeUndelivered() -> (code: KafkaCode, count: Int64)? {
        state.withLock { state in
            defer { state.undelivered = nil }
            return state.undelivered
        }
    }
}
