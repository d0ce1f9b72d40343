/// A type that receives frames by a direct call: a stage in a chain, a sink, or the end of a segment.
///
/// Only the engine uses this protocol; stages and sinks get a default implementation. The call goes through the type's conformance,
/// which the compiler specializes for the type. A call to a stage therefore costs one indirect call and no lookup, whichever module
/// declares the stage.
public protocol Receiver<Received>: SendableMetatype {
    /// The payload type of the received frames.
    associatedtype Received: Payload

    /// Receives a frame. The payload and the header are lent for the time of the call.
    ///
    /// - Parameter node: The memory or object of the receiver, as stored in its ``Link``.
    static func _receive(
        _ payload: borrowing Received, _ header: UnsafePointer<FrameHeader>, at node: UnsafeMutableRawPointer)
}

/// The destination of a node's frames: the receiver's type, and a pointer to its memory or object. A link retains neither.
@usableFromInline
package struct Link<P: Payload> {
    @usableFromInline let receiver: any Receiver<P>.Type
    @usableFromInline let node: UnsafeMutableRawPointer

    @inlinable
    init(_ receiver: any Receiver<P>.Type, _ node: UnsafeMutableRawPointer) {
        self.receiver = receiver
        self.node = node
    }

    /// Creates a link to an object, which must outlive the link.
    package init(_ object: some ReceivingObject<P>) {
        self.init(type(of: object), Unmanaged.passUnretained(object).toOpaque())
    }

    /// Forwards a frame.
    @inlinable
    @inline(__always)
    package func pass(_ payload: borrowing P, _ header: UnsafePointer<FrameHeader>) {
        receiver._receive(payload, header, at: node)
    }

    /// Forwards a frame.
    func pass(_ frame: Frame<P>) {
        var header = frame.header
        pass(frame.payload, &header)
    }
}

/// A link for any payload type.
public struct AnyLink {
    let receiver: any Receiver.Type
    let node: UnsafeMutableRawPointer

    init(_ receiver: any Receiver.Type, _ node: UnsafeMutableRawPointer) {
        self.receiver = receiver
        self.node = node
    }

    /// Creates a link to an object, which must outlive the link.
    init(_ object: some ReceivingObject) {
        self.init(type(of: object), Unmanaged.passUnretained(object).toOpaque())
    }

    /// Returns whether the link is for the given payload type.
    func carries(_ payload: any Payload.Type) -> Bool { receiver.received == ObjectIdentifier(payload) }

    /// Returns the typed link. The payload type must be `P`.
    // Both structures contain a type with its conformance and a pointer. The whole structure is cast, because casting only the
    // existential metatype would open it and cast its content instead.
    @inlinable
    func carrying<P: Payload>(_ payload: P.Type) -> Link<P> { unsafeBitCast(self, to: Link<P>.self) }
}

extension Receiver {
    fileprivate static var received: ObjectIdentifier { ObjectIdentifier(Received.self) }
}

/// A receiver that is an instance of a class.
package protocol ReceivingObject<Received>: AnyObject, Receiver {
    /// Receives a frame. The payload and the header are lent for the time of the call.
    func receive(_ payload: borrowing Received, _ header: UnsafePointer<FrameHeader>)
}

extension ReceivingObject {
    @inline(__always)
    public static func _receive(
        _ payload: borrowing Received, _ header: UnsafePointer<FrameHeader>, at node: UnsafeMutableRawPointer
    ) {
        // Not in a closure, which would copy the payload.
        unowned(unsafe) let object = Unmanaged<Self>.fromOpaque(node).takeUnretainedValue()
        object.receive(payload, header)
    }
}
