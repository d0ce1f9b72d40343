// Members of each payload type's witness table, so that they are compiled for the concrete type.
extension Payload {
    @inlinable
    @inline(__always)
    public static func _put(
        _ payload: borrowing Self, _ header: UnsafePointer<FrameHeader>, into outlet: UnsafeMutableRawPointer
    ) {
        let head = outlet.assumingMemoryBound(to: OutletHead.self)
        var branch = head.pointee.begin(header)
        while branch >= 0 {
            head.pointee.addCell(to: branch).assumingMemoryBound(to: Frame<Self>.self).initialize(
                to: Frame(copy payload, header.pointee))
            branch -= 1
        }
    }

    @inlinable
    @inline(__always)
    public static func _move(_ frame: UnsafeMutableRawPointer, into outlet: UnsafeMutableRawPointer) {
        let head = outlet.assumingMemoryBound(to: OutletHead.self)
        let place = frame.assumingMemoryBound(to: Frame<Self>.self)
        var branch = head.pointee.begin(UnsafePointer(frame.assumingMemoryBound(to: FrameHeader.self)))
        guard branch >= 0 else { return _empty(frame) }
        while branch > 0 {
            head.pointee.addCell(to: branch).assumingMemoryBound(to: Frame<Self>.self).initialize(to: place.pointee)
            branch -= 1
        }
        head.pointee.addCell(to: 0).assumingMemoryBound(to: Frame<Self>.self).moveInitialize(from: place, count: 1)
    }
}
