/// Collects the output of a live recognizer and assembles one result for each accepted frame.
///
/// A frame counts as in flight until its result is followed by a request for the next result.
// Used by one reader at a time.
final class LiveResults<Output: Payload>: @unchecked Sendable {
    private let reader: ResultReader<Output>
    private let pending: PendingTable
    private let run: Run
    private let waitForCaller: @Sendable () -> Void

    /// The output of frames that have not ended.
    private var collected: [StreamID: [Frame<Output>]] = [:]
    private var ready: ArraySlice<RecognizerResult<Output>> = []
    /// The credits to end when all `ready` results have been consumed.
    private var ending: [Credit] = []
    /// The credits of frames whose output is still in `collected`. They move to `ending` when this output becomes part of results.
    private var credits: [(credit: Credit, stream: StreamID)] = []
    private var hasEnded = false

    /// Creates the results.
    ///
    /// - Parameter waitForCaller: Waits until no frame is being passed in.
    init(
        _ reader: ResultReader<Output>, _ pending: PendingTable, _ run: Run,
        waitForCaller: @escaping @Sendable () -> Void
    ) {
        self.waitForCaller = waitForCaller
        self.reader = reader
        self.pending = pending
        self.run = run
    }

    /// Returns the next result, or `nil` when the recognizer has been closed.
    func next() async -> RecognizerResult<Output>? {
        while true {
            if let result = ready.popFirst() { return result }
            for credit in ending { credit.end() }
            ending = []
            if hasEnded { return nil }
            switch reader.look() {
            case .frame(let frame): collected[frame.stream, default: []].append(frame)
            case .mark(.bound(let stream, let bound)):
                settle(stream, bound)
                endCredits()
            // The results of these frames are complete, even if later output may have an earlier timestamp.
            case .mark(.receipt(let stream, let bound)):
                settle(stream, bound)
                endCredits()
            case .mark(.end):
                addUnclaimed()
                endCredits()
            case .mark(.credit(let credit, let stream)):
                // The credit ends only when the result of its frame has been consumed.
                if let stream, collected[stream] != nil { credits.append((credit, stream)) } else { credit.end() }
            case .mark(.inputEnd), .mark(.progress): break
            case .nothing: await reader.wait { [run] _ in run.stop() }
            case .finished:
                hasEnded = true
                await endAll()
            }
        }
    }

    /// Schedules the credits of frames that are now part of a result to end when the result has been consumed.
    private func endCredits() {
        for (credit, stream) in credits where collected[stream] == nil { ending.append(credit) }
        credits.removeAll { collected[$0.stream] == nil }
    }

    private func settle(_ stream: StreamID?, _ bound: Timestamp) {
        // If an edge drops a frame, its watermark may arrive here before the caller has recorded the drop.
        waitForCaller()
        for (stream, endings) in pending.settle(stream, bound) {
            add(endings, of: stream)
        }
        if !collected.isEmpty { addUnclaimed() }
    }

    /// Ends all remaining frames with an error. The run has ended without processing them, because it failed or was canceled.
    private func endAll() async {
        let failure = await run.finished().failures.first?.error
        for (stream, endings) in pending.settle(nil, .max) {
            add(
                endings.map { ending in
                    var ending = ending
                    ending.error = ending.error ?? failure ?? .unfinishedFrame(ending.timestamp)
                    return ending
                }, of: stream)
        }
        addUnclaimed()
    }

    /// Turns ended frames into results. A frame that was dropped downstream and produced no output adds to the next result's gap.
    private func add(_ endings: [PendingFrames.Ending], of stream: StreamID) {
        var missing: Int32 = 0
        for var ending in endings {
            ending.gap.addSaturated(missing)
            let frames = take(of: stream) { $0.timestamp <= ending.timestamp }
            if frames.isEmpty, ending.error == nil, ending.wasDropped {
                missing = ending.missing
                continue
            }
            missing = 0
            ready.append(
                RecognizerResult(
                    stream: stream, timestamp: ending.timestamp, gap: ending.gap, frames: frames, error: ending.error))
        }
        if missing > 0 { pending.noteMissing(missing, of: stream) }
    }

    /// Adds output that no frame will claim any more: stages emitted it on a wake-up between frames, or at the end.
    private func addUnclaimed() {
        for stream in collected.keys.sorted() {
            let earliest = pending.earliest(of: stream)
            let frames = take(of: stream) { frame in earliest.map { frame.timestamp < $0 } ?? true }
            guard let last = frames.last else { continue }
            ready.append(RecognizerResult(stream: stream, timestamp: last.timestamp, frames: frames))
        }
    }

    /// Removes and returns the first frames of a stream for which `isMeant` returns true.
    private func take(of stream: StreamID, _ isMeant: (Frame<Output>) -> Bool) -> [Frame<Output>] {
        guard let frames = collected[stream] else { return [] }
        let count = frames.prefix(while: isMeant).count
        if count == frames.count {
            collected[stream] = nil
            return frames
        }
        collected[stream]?.removeFirst(count)
        return Array(frames.prefix(count))
    }
}

extension PipelineError {
    fileprivate static func unfinishedFrame(_ timestamp: Timestamp) -> PipelineError {
        .frame(
            "recognizer.ended", "the recognizer was ended before the frame at \(timestamp) had been processed",
            help: "call close() and wait for it, so that frames in flight are processed")
    }
}
