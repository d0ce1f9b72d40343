extension Sink {
    /// Passes a frame to the sink of a node.
    // Always inlined, so that the code becomes part of each sink's witness table and is compiled for the sink's types.
    @inlinable
    @inline(__always)
    public static func _receive(
        _ payload: borrowing Input, _ header: UnsafePointer<FrameHeader>, at node: UnsafeMutableRawPointer
    ) {
        let head = node.assumingMemoryBound(to: SinkHead.self)
        head.pointee.metrics._withUnsafeGuaranteedRef { $0.received.add() }
        let isRegular = head.pointee.isRegular
        if !isRegular, !head.pointee.calls.admits(header) { return }
        var failure: (any Error)?
        // The payload type makes the frame: code that is not specialized would look up the type of the frame each time.
        Input._frame(payload, header) { frame in
            do {
                try head.pointee.sink.assumingMemoryBound(to: Self.self).pointee.write(frame)
            } catch {
                failure = error
            }
        }
        if let failure { return head.pointee.calls.fail(header, failure) }
        head.pointee.taken &+= 1
        head.pointee.lastArrival = header.pointee.arrival
        if !isRegular { head.pointee.calls.noteTaken(header) }
    }
}

/// The part of a sink's node that is used for every frame.
@usableFromInline
package struct SinkHead {
    @usableFromInline let sink: UnsafeMutableRawPointer
    @usableFromInline let metrics: Unmanaged<NodeMetrics>
    /// The node, which owns this structure.
    @usableFromInline unowned(unsafe) let calls: any SinkCalls

    /// Whether a frame only needs to be written: the sink can write, its output has a reader, and no drop records are requested.
    @usableFromInline var isRegular = false
    /// The number of frames that the sink has taken and that have no outcome yet.
    @usableFromInline var taken: Int64 = 0
    /// The arrival time of the frame taken last; 0 in a batch run.
    @usableFromInline var lastArrival: Int64 = 0

    init(sink: UnsafeMutableRawPointer, metrics: NodeMetrics, calls: any SinkCalls) {
        self.sink = sink
        self.metrics = .passUnretained(metrics)
        self.calls = calls
    }
}

/// The functions of a sink's node that do not depend on the payload type.
@usableFromInline
package protocol SinkCalls: AnyObject {
    /// Returns whether a frame can be written now. If not, counts the frame as dropped or failed.
    func admits(_ header: UnsafePointer<FrameHeader>) -> Bool

    /// Records that the sink has taken a frame.
    func noteTaken(_ header: UnsafePointer<FrameHeader>)

    /// Records that the sink has thrown an error for a frame.
    func fail(_ header: UnsafePointer<FrameHeader>, _ error: any Error)
}
