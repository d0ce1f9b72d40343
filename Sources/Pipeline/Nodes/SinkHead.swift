extension Sink {
    /// Gives a frame to the sink of a node.
    // Always inline: the code stands in the witness of each sink, compiled for its types.
    @inlinable
    @inline(__always)
    public static func _receive(
        _ payload: consuming Input, _ header: UnsafePointer<FrameHeader>, at node: UnsafeMutableRawPointer
    ) {
        let head = node.assumingMemoryBound(to: SinkHead.self)
        head.pointee.metrics._withUnsafeGuaranteedRef { $0.received.add() }
        let isRegular = head.pointee.isRegular
        if !isRegular, !head.pointee.admits(header) { return }
        do {
            try head.pointee.sink.assumingMemoryBound(to: Self.self).pointee.write(Frame(payload, header.pointee))
        } catch {
            return head.pointee.fail(header, error)
        }
        head.pointee.taken &+= 1
        head.pointee.lastArrival = header.pointee.arrival
        if !isRegular { head.pointee.noteTaken(header) }
    }
}

/// What is looked at for every frame that goes into a sink.
@usableFromInline
package struct SinkHead {
    @usableFromInline let sink: UnsafeMutableRawPointer
    @usableFromInline let metrics: Unmanaged<NodeMetrics>
    /// The node, which holds this.
    unowned(unsafe) let account: any SinkAccount

    /// Whether a frame is only to be written: the run goes on, somebody reads, and nobody wants to hear of drops.
    @usableFromInline var isRegular = false
    /// How many frames the sink has taken that have not ended.
    @usableFromInline var taken: Int64 = 0
    /// When the frame taken last arrived; 0 in batch mode.
    @usableFromInline var lastArrival: Int64 = 0

    init(sink: UnsafeMutableRawPointer, metrics: NodeMetrics, account: any SinkAccount) {
        self.sink = sink
        self.metrics = .passUnretained(metrics)
        self.account = account
    }

    @usableFromInline
    @inline(never)
    func admits(_ header: UnsafePointer<FrameHeader>) -> Bool { account.admits(header) }

    @usableFromInline
    @inline(never)
    func noteTaken(_ header: UnsafePointer<FrameHeader>) { account.noteTaken(header) }

    @usableFromInline
    @inline(never)
    func fail(_ header: UnsafePointer<FrameHeader>, _ error: any Error) { account.fail(header, error) }
}

/// A sink's node, as far as its frames' payloads have nothing to do with it.
protocol SinkAccount: AnyObject {
    /// Whether a frame can be written now; counts one that cannot.
    func admits(_ header: UnsafePointer<FrameHeader>) -> Bool

    /// The sink has taken a frame.
    func noteTaken(_ header: UnsafePointer<FrameHeader>)

    /// The sink has refused a frame.
    func fail(_ header: UnsafePointer<FrameHeader>, _ error: any Error)
}
