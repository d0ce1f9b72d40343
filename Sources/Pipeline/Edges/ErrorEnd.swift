/// The destination of a node's failed frames.
struct ErrorEnd {
    private let link: AnyLink
    private let held: AnyObject

    init(_ outlet: EdgeOutlet) { self.init(outlet.link, held: outlet) }

    /// - Parameter held: The object behind the link. It is retained, because a link retains nothing.
    init(_ link: AnyLink, held: AnyObject) { (self.link, self.held) = (link, held) }

    init(_ object: some ReceivingObject<FailedFrame>) {
        link = AnyLink(object)
        held = object
    }

    func receive(_ frame: Frame<FailedFrame>) { link.carrying(FailedFrame.self).pass(frame) }
}
