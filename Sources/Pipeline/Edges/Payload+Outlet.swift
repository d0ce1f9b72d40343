// A member of each payload type's witness table, so that it is compiled for the concrete type.
extension Payload {
    @inlinable
    @inline(__always)
    public static func _put(
        _ payload: consuming Self, _ header: UnsafePointer<FrameHeader>, into outlet: UnsafeMutableRawPointer
    ) {
        let head = outlet.assumingMemoryBound(to: OutletHead.self)
        var branch = head.pointee.begin(header)
        while branch > 0 {
            head.pointee.addCell(to: branch).assumingMemoryBound(to: Frame<Self>.self).initialize(
                to: Frame(copy payload, header.pointee))
            branch -= 1
        }
        guard branch == 0 else { return }
        head.pointee.addCell(to: 0).assumingMemoryBound(to: Frame<Self>.self).initialize(
            to: Frame(payload, header.pointee))
    }
}
