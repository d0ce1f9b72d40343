/// Keeps a worker's output for one outlet of its segment until the worker's turn.
final class OutletBuffer: MarkTaker {
    private let head: UnsafeMutablePointer<OutletHead>
    let wantsWatermarks: Bool
    let wantsInputEnds: Bool

    /// The link that receives the worker's frames.
    let link: AnyLink

    /// The store that creates and empties the cells.
    let store: FrameStore

    /// - Parameters:
    ///   - receiver: The type that receives frames of the outlet's payload type and puts them into an outlet.
    ///   - store: The store that creates cells for them.
    ///   - outlet: The outlet that the output is for.
    init(_ receiver: any Receiver.Type, _ store: FrameStore, for outlet: any AnyOutlet) {
        self.store = store
        wantsWatermarks = outlet.wantsWatermarks
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

    /// The kept items.
    var items: [EdgeItem<FrameCell>] {
        get { head.pointee.branches[0].pending }
        _modify { yield &head.pointee.branches[0].pending }
    }

    /// Empty cells to fill.
    var spare: [FrameCell] {
        get { head.pointee.branches[0].spare }
        _modify { yield &head.pointee.branches[0].spare }
    }

    func take(_ mark: Mark) { items.append(.mark(mark)) }
}
