/// A link that shows the frames leaving a task to a ``WatchPoint``, and passes them on.
final class WatchedLink<P: Payload>: ReceivingObject {
    typealias Received = P

    private let next: Link<P>
    private let point: WatchPoint

    init(_ next: AnyLink, _ point: WatchPoint) {
        self.next = next.carrying(P.self)
        self.point = point
    }

    func receive(_ payload: __owned P, _ header: UnsafePointer<FrameHeader>) {
        point.look(at: payload, header)
        next.pass(payload, header)
    }
}

/// Like ``WatchedLink``, but directly after a source, where streams begin.
// Only the task that produces the source's frames uses it, one call at a time.
final class WatchedOrigin<P: Payload>: ReceivingObject {
    typealias Received = P

    private let next: Link<P>
    private let point: WatchPoint
    private var stream: StreamID?

    init(_ next: AnyLink, _ point: WatchPoint) {
        self.next = next.carrying(P.self)
        self.point = point
    }

    func receive(_ payload: __owned P, _ header: UnsafePointer<FrameHeader>) {
        if stream != header.pointee.stream {
            stream = header.pointee.stream
            point.turn(to: header.pointee.stream)
        }
        point.reach(header)
        point.keep(payload, header)
        point.look(at: payload, header)
        next.pass(payload, header)
    }
}
