/// A link that shows the frames leaving a task to a ``WatchPoint``, and passes them on.
// Only the task that emits the frames uses it, one call at a time.
final class WatchedLink<P: Payload>: ReceivingObject {
    typealias Received = P

    private let next: Link<P>
    private let point: WatchPoint
    /// Whether the task is a source. The point of a source also records the streams.
    private let isOrigin: Bool
    /// The stream of the last frame, if the task is a source.
    private var stream: StreamID?

    init(_ next: AnyLink, _ point: WatchPoint, isOrigin: Bool) {
        self.next = next.carrying(P.self)
        self.point = point
        self.isOrigin = isOrigin
    }

    func receive(_ payload: borrowing P, _ header: UnsafePointer<FrameHeader>) {
        if isOrigin {
            if stream != header.pointee.stream {
                stream = header.pointee.stream
                point.turn(to: header.pointee.stream)
            }
            point.reach(header)
            point.keep(payload, header)
        }
        point.look(at: payload, header)
        next.pass(payload, header)
    }
}
