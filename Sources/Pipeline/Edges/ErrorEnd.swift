/// The destination of a node's failed frames.
struct ErrorEnd {
    private let link: AnyLink
    private let held: AnyObject

    init(_ outlet: EdgeOutlet) { self.init(outlet.link, held: outlet) }

    /// - Parameter held: The object behind the link, which must live as long as the link is used.
    init(_ link: AnyLink, held: AnyObject) { (self.link, self.held) = (link, held) }

    init(_ object: some ReceivingObject<FailedFrame>) {
        link = AnyLink(object)
        held = object
    }

    func receive(_ frame: Frame<FailedFrame>) { link.carrying(FailedFrame.self).pass(frame) }
}
