/// Puts together, frame by frame, what came of the frames that a live recognizer accepted.
///
/// Asking for the next result finishes the one before: only then is its credit free for another frame.
// Used by one reader at a time.
final class LiveResults<Output: Payload>: @unchecked Sendable {
    private let reader: ResultReader<Output>
    private let pending: PendingTable
    private let run: Run
    private let waitForGiver: @Sendable () -> Void

    /// What came out and belongs to a frame that has not ended.
    private var collected: [StreamID: [Frame<Output>]] = [:]
    private var ready: ArraySlice<RecognizerResult<Output>> = []
    /// What ends once all that is ready has been dealt with, and what ends once that is ready which was collected.
    private var ending: [Credit] = []
    private var credits: [(credit: Credit, stream: StreamID)] = []
    private var hasEnded = false

    /// - Parameter waitForGiver: Returns when the frame that is being given, if one is, has been given.
    init(
        _ reader: ResultReader<Output>, _ pending: PendingTable, _ run: Run,
        waitForGiver: @escaping @Sendable () -> Void
    ) {
        self.waitForGiver = waitForGiver
        self.reader = reader
        self.pending = pending
        self.run = run
    }

    /// The next result, or `nil` when the recognizer has been closed.
    func next() async -> RecognizerResult<Output>? {
        while true {
            if let result = ready.popFirst() { return result }
            for credit in ending { credit.end() }
            ending = []
            if hasEnded { return nil }
            switch reader.look() {
            case .frame(let frame): collected[frame.stream, default: []].append(frame)
            case .bound(let stream, let bound):
                settle(stream, bound)
                endCredits()
            case .end:
                addUnclaimed()
                endCredits()
            case .credit(let credit, let stream):
                // Its frame is dealt with when its result is.
                if let stream, collected[stream] != nil { credits.append((credit, stream)) } else { credit.end() }
            case .nothing: await reader.wait()
            case .finished:
                hasEnded = true
                await endAll()
            }
        }
    }

    /// What stood behind frames that are part of a result now ends when that has been dealt with.
    private func endCredits() {
        for (credit, stream) in credits where collected[stream] == nil { ending.append(credit) }
        credits.removeAll { collected[$0.stream] == nil }
    }

    private func settle(_ stream: StreamID?, _ bound: Timestamp) {
        // The bound of a frame that an edge drops may come here before the caller has noted the drop.
        waitForGiver()
        for (stream, endings) in pending.settle(stream, bound) {
            add(endings, of: stream)
        }
        if !collected.isEmpty { addUnclaimed() }
    }

    /// No frame comes any more: what has not ended was not processed, because the run failed or was canceled.
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

    /// Makes results of endings. One that was dropped on the way, and of which nothing came, is missing before the next.
    private func add(_ endings: [PendingFrames.Ending], of stream: StreamID) {
        var missing: Int32 = 0
        for var ending in endings {
            ending.addGap(missing)
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

    /// Adds what no frame will claim any more: what stages made when they were woken between frames, or at the end.
    private func addUnclaimed() {
        for stream in collected.keys.sorted(by: { $0.name < $1.name }) {
            let earliest = pending.earliest(of: stream)
            let frames = take(of: stream) { frame in earliest.map { frame.timestamp < $0 } ?? true }
            guard let last = frames.last else { continue }
            ready.append(RecognizerResult(stream: stream, timestamp: last.timestamp, frames: frames))
        }
    }

    /// Takes the first frames of a stream for which `isMeant` holds.
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
            help: "close it and wait for its end, so that what is under way is finished")
    }
}
