/// A record of one dropped frame, or of several consecutive frames that a network has lost. It tells exactly what is missing.
public struct DropRecord: Sendable, Hashable {
    /// The stream.
    public let stream: StreamID

    /// The timestamp of the frame. For frames that a network has lost, the timestamp of the next frame that arrived.
    public let timestamp: Timestamp

    /// The sequence number that the source assigned to the frame, or to the first of several lost frames.
    public let sequence: Int64

    /// The number of missing frames, with consecutive numbers from ``sequence`` on. It is 1 except for frames that a network has
    /// lost.
    public let count: Int64

    /// The node or edge that dropped the frame.
    public let place: String

    /// The reason for the drop.
    public let reason: DropReason

    /// The time from the frame's arrival to the drop, in nanoseconds of the run's clock; `nil` if the arrival time is unknown, as
    /// in most batch runs.
    public let age: Int64?

    /// Creates a record.
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
