/// Keeps what a worker makes for one outlet of its segment, until it is its turn.
final class OutletBuffer: MarkTaker {
    private let head: UnsafeMutablePointer<OutletHead>
    let wantsBounds: Bool
    let wantsInputEnds: Bool

    /// Where its frames come in.
    let link: AnyLink

    /// What makes and empties its cells.
    let store: FrameStore

    /// - Parameters:
    ///   - receiver: What takes the frames of the outlet's payload into an outlet.
    ///   - store: What makes cells for them.
    ///   - outlet: What it keeps them for.
    init(_ receiver: any Receiver.Type, _ store: FrameStore, for outlet: any AnyOutlet) {
        self.store = store
        wantsBounds = outlet.wantsBounds
        wantsInputEnds = outlet.wantsInputEnds
        head = .allocate(capacity: 1)
        head.initialize(
            to: OutletHead([OutletBranch(store)], signal: OutletSignal(), threshold: .max, notesTime: false))
        link = AnyLink(receiver, UnsafeMutableRawPointer(head))
    }

    deinit {
        head.pointee.free()
        head.deinitialize(count: 1)
        head.deallocate()
    }

    /// What it keeps.
    var items: [EdgeItem<FrameCell>] {
        get { head.pointee.branches[0].pending }
        _modify { yield &head.pointee.branches[0].pending }
    }

    /// Empty cells to fill.
    var spare: [FrameCell] {
        get { head.pointee.branches[0].spare }
        _modify { yield &head.pointee.branches[0].spare }
    }

    func bound(_ stream: StreamID?, _ time: Timestamp) { items.append(.bound(stream, time)) }
    func receipt(_ stream: StreamID, _ time: Timestamp) { items.append(.receipt(stream, time)) }
    func end(_ stream: StreamID) { items.append(.end(stream)) }
    func inputEnd() { items.append(.inputEnd) }
}
