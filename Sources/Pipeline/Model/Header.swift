/// All of a frame but its payload, as a stage sees it while it works on the frame. It cannot be kept.
public struct Header: ~Copyable {
    @usableFromInline let header: UnsafePointer<FrameHeader>

    @inlinable
    @inline(__always)
    init(_ header: UnsafePointer<FrameHeader>) { self.header = header }

    /// When the frame happened, in the time of its stream.
    @inlinable public var timestamp: Timestamp { header.pointee.timestamp }

    /// The stream it belongs to.
    @inlinable public var stream: StreamID { header.pointee.stream }

    /// The number the source gave.
    @inlinable public var sequence: Int64 { header.pointee.sequence }

    /// How many frames of the stream went missing right before this one; see ``Frame/gap``.
    @inlinable public var gap: Int32 { header.pointee.gap }

    /// When the source brought it, in nanoseconds of the run's clock; 0 when not known.
    @inlinable public var arrival: Int64 { header.pointee.arrival }

    /// What only few stages need to know; `nil` for most frames.
    @inlinable public var origin: Origin? { header.pointee.origin }
}
