/// The destinations of the frames of a source or of an asynchronous stage.
struct OutputRoute {
    /// The receiver of the frames.
    let next: AnyLink
    /// The head of the outlet, if the receiver only puts the frames into an outlet.
    let outlet: UnsafeMutableRawPointer?
    let outlets: [any AnyOutlet]
    /// Raised when enough frames wait to be moved.
    let signal: OutletSignal
    /// The outlets that lead to merges and joins in a batch run.
    let progressOutlets: [any AnyOutlet]
    /// The outlets that lead to edges with a limit on frames in flight.
    let slotOutlets: [any AnyOutlet]

    init(next: AnyLink, outlets: [any AnyOutlet], signal: OutletSignal) {
        self.next = next
        outlet = next.receiver is any OutletReceiver.Type ? next.node : nil
        self.outlets = outlets
        self.signal = signal
        progressOutlets = outlets.filter(\.wantsProgress)
        slotOutlets = outlets.filter(\.wantsInputEnds)
    }
}
