/// All fields of a frame except its payload, as seen by a stage that processes the frame. It cannot be stored.
public struct Header: ~Copyable {
    @usableFromInline let header: UnsafePointer<FrameHeader>

    @inlinable
    @inline(__always)
    init(_ header: UnsafePointer<FrameHeader>) { self.header = header }

    /// The time of the event that the frame describes, in the time of its stream.
    @inlinable public var timestamp: Timestamp { header.pointee.timestamp }

    /// The stream that the frame belongs to.
    @inlinable public var stream: StreamID { header.pointee.stream }

    /// The sequence number that the source assigned.
    @inlinable public var sequence: Int64 { header.pointee.sequence }

    /// The number of frames of the stream that are missing right before this one; see ``Frame/gap``.
    @inlinable public var gap: Int32 { header.pointee.gap }

    /// The time at which the source read the frame, in nanoseconds of the run's clock; 0 if unknown.
    @inlinable public var arrival: Int64 { header.pointee.arrival }

    /// Details that only a few stages need; `nil` for most frames.
    @inlinable public var origin: Origin? { header.pointee.origin }
}
