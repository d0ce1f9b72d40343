/// Who is given frames by a direct call: a stage in its place in a chain, a sink, the end of a segment.
///
/// It belongs to the engine: stages and sinks have it without doing anything for it. The call goes by way of the type, and what is
/// behind a conformance is compiled for the type that conforms. So a stage's node costs one indirect call and no look-up, wherever
/// the stage is declared and however it was made.
public protocol Receiver<Received>: SendableMetatype {
    /// What it is given.
    associatedtype Received: Payload

    /// Takes a frame: the payload for good, the header for the time of the call.
    ///
    /// - Parameter node: What stands behind the type, as its ``Link`` says.
    static func _receive(
        _ payload: consuming Received, _ header: UnsafePointer<FrameHeader>, at node: UnsafeMutableRawPointer)
}

/// Where a node's frames go: a receiver, and what stands behind it. It holds neither.
@usableFromInline
package struct Link<P: Payload> {
    @usableFromInline let receiver: any Receiver<P>.Type
    @usableFromInline let node: UnsafeMutableRawPointer

    @inlinable
    init(_ receiver: any Receiver<P>.Type, _ node: UnsafeMutableRawPointer) {
        self.receiver = receiver
        self.node = node
    }

    /// Leads to an object, which must outlive the link.
    package init(_ object: some ReceivingObject<P>) {
        self.init(type(of: object), Unmanaged.passUnretained(object).toOpaque())
    }

    /// Hands a frame over.
    // A parameter that is owned and never changed is passed on where it stands; one that is `consuming` may change, and code that
    // is not specialized moves it to a place of its own first.
    @inlinable
    @inline(__always)
    package func pass(_ payload: __owned P, _ header: UnsafePointer<FrameHeader>) {
        receiver._receive(payload, header, at: node)
    }

    /// Hands a frame over that the caller keeps.
    func pass(_ frame: Frame<P>) {
        var header = frame.header
        pass(frame.payload, &header)
    }
}

/// A link, whatever it carries.
public struct AnyLink {
    let receiver: any Receiver.Type
    let node: UnsafeMutableRawPointer

    init(_ receiver: any Receiver.Type, _ node: UnsafeMutableRawPointer) {
        self.receiver = receiver
        self.node = node
    }

    /// Leads to an object, which must outlive the link.
    init(_ object: some ReceivingObject) {
        self.init(type(of: object), Unmanaged.passUnretained(object).toOpaque())
    }

    /// Whether it carries a payload.
    func carries(_ payload: any Payload.Type) -> Bool { receiver.received == ObjectIdentifier(payload) }

    /// The link for what it carries, which must be `P`.
    // Both are a type, its conformance and a place in memory. The whole structure is cast: an existential type by itself would be
    // opened, and what it holds cast instead.
    @inlinable
    func carrying<P: Payload>(_ payload: P.Type) -> Link<P> { unsafeBitCast(self, to: Link<P>.self) }
}

extension Receiver {
    fileprivate static var received: ObjectIdentifier { ObjectIdentifier(Received.self) }
}

/// A receiver that is an object.
package protocol ReceivingObject<Received>: AnyObject, Receiver {
    /// Takes a frame.
    func receive(_ payload: __owned Received, _ header: UnsafePointer<FrameHeader>)
}

extension ReceivingObject {
    @inline(__always)
    public static func _receive(
        _ payload: __owned Received, _ header: UnsafePointer<FrameHeader>, at node: UnsafeMutableRawPointer
    ) {
        Unmanaged<Self>.fromOpaque(node)._withUnsafeGuaranteedRef { $0.receive(payload, header) }
    }
}
