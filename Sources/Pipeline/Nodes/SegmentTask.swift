/// The task of a segment, which is a sequence of stages. The task takes items from its edges, passes frames through the stages by
/// direct calls, and moves the output to its outlets.
// Only its own task accesses its state once it runs. A reload or commit point may do so while the run is frozen.
final class SegmentTask: RunTask, @unchecked Sendable {
    let name: String
    let kind = RunTaskKind.segment
    let input: TaskInput
    let body: SegmentBody
    private let context: SegmentContext
    private let outlets: [any AnyOutlet]
    private let signal: OutletSignal
    private let waker: Waker
    // Unchecked: the variables are used for every frame, and a check costs as much as a stage.
    @exclusivity(unchecked) private var pace = Pace()
    /// Whether the output must be moved now, although more input is waiting.
    @exclusivity(unchecked) private var mustSendOutput = false

    init(
        name: String, input: TaskInput, body: SegmentBody, outlets: [any AnyOutlet], signal: OutletSignal,
        waker: Waker
    ) {
        self.name = name
        self.input = input
        self.body = body
        context = body.context
        self.outlets = outlets
        self.signal = signal
        self.waker = waker
    }

    func run() async {
        var batch: [EdgeItem<FrameCell>] = []
        let monitor = context.monitor
        taking: while true {
            if let request = input.takeRequest() {
                guard case .flush(let join, let stages) = request else { return waker.pulse.end() }
                if join { input.flush(into: &batch) }
                for item in batch { takeOrRefuse(item) }
                batch.removeAll(keepingCapacity: true)
                body.chains.finish(stages)
                await outlets.flush(waker, monitor, at: name)
            }
            switch input.look(into: &batch) {
            case .items: break
            case .finished: break taking
            case .nothing:
                body.noteReaders(outlets, input)
                await input.wait()
                continue
            }
            var place = 0
            pace.begin(monitor.clock)
            while place < batch.count {
                take(batch, from: &place)
                if signal.isRaised {
                    signal.isRaised = false
                    if outlets.contains(where: { $0.isReady && $0.offer() != nil }) {
                        await outlets.flush(waker, monitor, at: name)
                    }
                }
                if mustSendOutput {
                    mustSendOutput = false
                    if outlets.offer() != nil { await outlets.flush(waker, monitor, at: name) }
                    body.noteReaders(outlets, input)
                }
            }
            batch.removeAll(keepingCapacity: true)
            if context.hasFailed { break }
            // Call `flush` only if an edge is full, because the asynchronous call usually costs more than moving the items.
            if outlets.offer() != nil { await outlets.flush(waker, monitor, at: name) }
            body.noteReaders(outlets, input)
        }
        if context.hasFailed || monitor.isCancelled || monitor.isCutShort || input.join.isCutShort {
            input.join.abandon(refuse)
        } else if !body.isUnused {
            body.chains.endAll()
        }
        await outlets.flush(waker, monitor, at: name)
        for outlet in outlets { outlet.finish() }
        waker.pulse.end()
    }

    /// Processes items from `place` on, until enough output waits or it is time to move it.
    private func take(_ batch: [EdgeItem<FrameCell>], from place: inout Int) {
        repeat {
            takeOrRefuse(batch[place])
            place += 1
            mustSendOutput = pace.isOver(context.monitor.clock)
        } while place < batch.count && !signal.isRaised && !mustSendOutput
    }

    @inline(__always)
    private func takeOrRefuse(_ item: EdgeItem<FrameCell>) {
        guard body.mayWork else { return refuse(item) }
        body.take(item)
        if case .frame(let cell) = item { input.giveBack(cell) }
    }

    private func refuse(_ item: EdgeItem<FrameCell>) { body.refuse(item, of: input) }
}
