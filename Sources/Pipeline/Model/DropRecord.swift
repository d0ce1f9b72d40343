/// One frame that was dropped, or a run of frames that a wire has lost: data for whoever wants to know exactly what is
/// missing.
public struct DropRecord: Sendable, Hashable {
    /// The stream.
    public let stream: StreamID

    /// When the frame happened; for frames that a wire has lost, when the next one did that came.
    public let timestamp: Timestamp

    /// The number its source gave it.
    public let sequence: Int64

    /// How many frames are missing, with successive numbers from ``sequence`` on: 1 for all but what a wire has lost.
    public let count: Int64

    /// The node or edge that dropped it.
    public let place: String

    /// Why.
    public let reason: DropReason

    /// How long after its arrival it was dropped, in nanoseconds of the run's clock; `nil` when its arrival is not known,
    /// as in batch mode.
    public let age: Int64?

    /// Describes a drop.
    public init(
        stream: StreamID, timestamp: Timestamp, sequence: Int64, count: Int64 = 1, place: String, reason: DropReason,
        age: Int64? = nil
    ) {
        self.stream = stream
        self.timestamp = timestamp
        self.sequence = sequence
        self.count = count
        self.place = place
        self.reason = reason
        self.age = age
    }
}
