/// Where a node's frames go that could not be processed.
struct ErrorEnd {
    private let link: AnyLink
    private let held: AnyObject

    init(_ outlet: EdgeOutlet) { self.init(outlet.link, held: outlet) }

    /// - Parameter held: What stands behind the link.
    init(_ link: AnyLink, held: AnyObject) { (self.link, self.held) = (link, held) }

    init(_ object: some ReceivingObject<FailedFrame>) {
        link = AnyLink(object)
        held = object
    }

    func receive(_ frame: Frame<FailedFrame>) { link.carrying(FailedFrame.self).pass(frame) }
}
