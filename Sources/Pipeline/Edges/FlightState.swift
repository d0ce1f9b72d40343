/// The queue of an edge that limits its frames in flight, as a pure state machine: no lock, no waiting, no tasks. It releases a
/// frame to the consumer only while fewer than `in_flight` frames hold a slot. The caller supplies the time.
///
/// A frame that finds no free slot waits in the queue of its stream, which holds at most `capacity` frames. A free slot goes to
/// the stream that has waited longest. A new frame that replaces a waiting frame inherits the turn of that frame, so no stream
/// starves, however fast the others are. No frame is dropped while a slot is free.
///
/// All frames that a stage produces from one input share one slot, which becomes free when the last of them is finished.
///
/// A ``Credit`` follows the frames that hold a slot. These frames are finished when this credit and all credits divided from it
/// have ended. While all of these credits wait in a merge or join for frames of another edge, the frames hold no slot, because
/// those other frames may need a slot themselves. Until the input ends, at most `max(64, capacity) + 1` frames of a stream can
/// wait this way. The last of them makes the merge or join notice that it is full.
///
/// MediaPipe's flow limiter (flow_limiter_calculator.cc: `max_in_flight`, `max_in_queue`, `in_flight_timeout`) does the same, but
/// needs a back edge that the author of the graph must connect.
struct FlightState<Element: EdgeElement> {
    typealias Item = EdgeItem<Element>
    typealias Offer = EdgeState<Element>.Offer

    typealias Queue = StreamQueue<Element>

    let policy: EdgePolicy
    private var slots: InFlightSlots
    var queues: [StreamID: Queue] = [:]
    var turns = SlotTurns()
    /// The streams with frames of the input that has not ended yet. An input is everything that the previous stage emits for one
    /// of its own input frames.
    var openInput: [StreamID] = []
    /// Whether the consumer no longer uses the frames, so that they need no slots.
    private var isRenounced = false
    var released = ReleasedItems<Element>()
    /// A watermark for all streams, held back while any frame waits.
    private var globalWatermark: Item?
    var gapsToCome: StreamGaps
    var waitingFrames = 0
    var consumerWaits = false
    var producerWaits = false
    private var hasFinished = false
    private(set) var isAbandoned = false

    private(set) var offered: Int64 = 0
    private(set) var taken: Int64 = 0
    var dropped: [DropReason: Int64] = [:]

    /// - Parameters:
    ///   - policy: The edge's policy. Without `inFlight`, only one frame may be unfinished.
    ///   - maxStreams: The maximum number of streams whose gaps are kept.
    init(policy: EdgePolicy, maxStreams: Int = 10_000) {
        self.policy = policy
        gapsToCome = StreamGaps(maxStreams: maxStreams)
        slots = InFlightSlots(policy)
    }

    /// Sets the object that is notified about changes of credits.
    mutating func belong(to owner: any CreditOwner) { slots.owner = owner }

    /// The number of frames that were offered and not yet taken.
    var waiting: Int { waitingFrames + released.frames }

    /// The number of released frames that are not finished. Frames that share a slot count once.
    var unfinished: Int { slots.unfinished }

    /// The number of frames that timed out: they no longer count as in flight, because they took longer than the timeout.
    var timedOut: Int64 { slots.timedOut }

    /// Whether all released items were taken, and no more will be released.
    var isFinished: Bool { hasFinished && (waitingFrames == 0 || isAbandoned) && released.isEmpty }

    /// Whether the capacity is ignored.
    var isUnbounded = false

    /// The time at which the next frame in flight times out; `nil` if none will.
    var nextDeadline: Int64? { slots.nextDeadline }

    // MARK: Producer and consumer

    /// Takes items from `cursor` on, and moves the cursor past the last item that was handled.
    ///
    /// - Complexity: O(1) per item, plus O(capacity) per drop. O(waiting frames) for each further frame that leaves or is dropped
    ///   with another.
    mutating func offer(_ batch: inout [Item], from cursor: inout Int, now: Int64) -> Offer {
        var result = Offer()
        expire(now)
        while cursor < batch.count {
            switch batch[cursor] {
            case .frame(let frame):
                guard offer(frame, now, &result) else { return wake(result) }
            // Progress marks are not needed: an edge with slots carries a watermark for every frame.
            case .mark(.progress): break
            case .mark(.bound(nil, _)):
                if isAbandoned { break }
                if waitingFrames == 0 { released.append(batch[cursor]) } else { globalWatermark = batch[cursor] }
            case .mark(.bound(let stream?, _)), .mark(.receipt(let stream, _)), .mark(.end(let stream, _)),
                .mark(.credit(_, let stream?)):
                if case .mark(.end) = batch[cursor] { gapsToCome.take(stream) }
                if isAbandoned { result.ended.add(batch[cursor]) } else { append(batch[cursor], of: stream) }
            case .mark(.credit(_, nil)):
                if isAbandoned { result.ended.add(batch[cursor]) } else { released.append(batch[cursor]) }
            case .mark(.inputEnd): endInput()
            }
            cursor += 1
        }
        batch.removeAll(keepingCapacity: true)
        cursor = 0
        return wake(result)
    }

    /// Takes the items that were released. `buffer` must be empty.
    ///
    /// - Returns: Whether a producer waits for room and must be woken.
    @discardableResult
    mutating func take(into buffer: inout [Item]) -> Bool {
        taken += Int64(released.take(into: &buffer))
        consumerWaits = buffer.isEmpty && !isFinished
        return !buffer.isEmpty && wakesProducer()
    }

    /// Records that no more items will be offered. Waiting frames will still be released.
    mutating func finish(now: Int64) -> EdgeWakes {
        hasFinished = true
        endInput()
        return refill(now)
    }

    /// Takes back ``finish(now:)`` and ``abandon()``, because other tasks continue.
    mutating func beginAgain() { (hasFinished, isAbandoned) = (false, false) }

    /// Counts a frame that was produced for this edge but must not be added.
    mutating func cancel() {
        offered += 1
        dropped[.cancelled, default: 0] += 1
    }

    /// Records that the consumer will take no more items. Waiting frames count as left, and new frames are dropped.
    mutating func abandon() -> EdgeWakes {
        isAbandoned = true
        var ended = EndedCredits()
        released.endCredits(&ended)
        for stream in queues.keys.sorted() {
            queues[stream]?.endCredits(&ended)
        }
        var wakes = wakes()
        wakes.ended = ended
        return wakes
    }

    /// All items that wait.
    var all: [Item] { released.items + queues.values.flatMap(\.items) }

    // MARK: Finished frames

    /// Applies a change of a credit of a slot.
    mutating func credit(_ number: Int, _ change: Credit.Change, now: Int64) -> EdgeWakes {
        slots.change(number, change) ? refill(now) : EdgeWakes()
    }

    /// Records that the consumer no longer uses the frames, so that no frame needs a slot.
    mutating func renounce(now: Int64) -> EdgeWakes {
        isRenounced = true
        slots.giveBackAll()
        return refill(now)
    }

    /// Applies the timeout at the time `now` on the run's clock.
    mutating func pass(_ now: Int64) -> EdgeWakes {
        expire(now)
        return wakes()
    }

    private mutating func refill(_ now: Int64) -> EdgeWakes {
        fill(now)
        return wakes()
    }

    private mutating func expire(_ now: Int64) { if slots.expire(now) { fill(now) } }

    // MARK: Frames

    /// Adds or drops a frame. Returns false if the producer must keep the frame, or if the run must fail.
    private mutating func offer(_ frame: Element, _ now: Int64, _ result: inout Offer) -> Bool {
        var frame = frame
        if isAbandoned {
            offered += 1
            drop(frame, .cancelled, &result)
            return true
        }
        // The queue is not copied to a variable: it would then be copied whenever it changes.
        if queues[frame.stream] == nil, slots.isOpen(frame.stream) {
            return addToOpenSlot(frame, &result)
        }
        let mustWait = (queues[frame.stream]?.frames ?? 0) > 0 || !slots.isFree || slots.hasEnoughWaiting(frame.stream)
        if mustWait, isFull(for: frame) {
            switch policy.onFull {
            case .wait:
                // The slot that the frame needs may be held by frames of another stream from the same input.
                endInput(but: frame.stream)
                result.isFull = true
                producerWaits = true
                return false
            case .fail:
                result.overflowed = true
                return false
            case .dropOldest where policy.capacity > 0:
                markGap(&frame)
                offered += 1
                replaceOldest(by: frame, &result)
            case .dropOldest, .dropNewest:
                offered += 1
                gapsToCome.add(frame.missing, of: frame.stream)
                drop(frame, .edgeFull, &result)
            }
            return true
        }
        markGap(&frame)
        offered += 1
        noteInput(frame)
        queues[frame.stream, default: Queue()].append(frame)
        waitingFrames += 1
        turns.append(frame.stream)
        fill(now)
        return true
    }

    /// Releases another frame of an input that already holds a slot. Returns false if the producer must keep the frame, so that the
    /// output of one input does not pile up before a slow consumer.
    private mutating func addToOpenSlot(_ frame: Element, _ result: inout Offer) -> Bool {
        guard policy.onFull != .wait || isUnbounded || released.frames < slots.room else {
            result.isFull = true
            producerWaits = true
            return false
        }
        var frame = frame
        markGap(&frame)
        offered += 1
        noteInput(frame)
        released.append(.frame(frame))
        return true
    }

    private mutating func noteInput(_ frame: Element) {
        if !openInput.contains(frame.stream) { openInput.append(frame.stream) }
    }

    /// Records that no more frames of the current input follow. The input stays open for frames of the stream `other`.
    private mutating func endInput(but other: StreamID? = nil) {
        for stream in openInput where stream != other {
            // Without a queue, nothing is appended.
            if queues[stream]?.append(.inputEnd) == nil { releaseCredit(of: stream) }
        }
        openInput.removeAll { $0 != other }
    }

    /// Releases the credit that follows the frames of a slot, if the stream has a slot to which frames can still be added.
    private mutating func releaseCredit(of stream: StreamID) {
        if let credit = slots.close(stream) { released.append(.mark(.credit(credit, of: stream))) }
    }

    private func isFull(for frame: Element) -> Bool {
        !isUnbounded && queues[frame.stream]?.isFull(policy, for: frame) ?? (policy.capacity <= 0)
    }

    /// Drops the oldest frames of the stream until the new frame has room. The gaps of the dropped frames move to the next frame,
    /// and the new frame gets the oldest turn of the dropped frames.
    private mutating func replaceOldest(by frame: Element, _ result: inout Offer) {
        let replaced = queues[frame.stream, default: Queue()].replaceOldest(by: frame, policy)
        for old in replaced { drop(old, .edgeFull, &result) }
        noteInput(frame)
        waitingFrames += 1 - replaced.count
        // Each waiting frame has one turn. The new frame takes the oldest turn of the frames that it replaces.
        turns.remove(replaced.count - 1, of: frame.stream, after: 1)
        releaseLeading(of: frame.stream)
    }

    private mutating func append(_ item: Item, of stream: StreamID) {
        guard case .mark(let mark) = item, queues[stream]?.append(mark) != nil else { return released.append(item) }
    }

    /// Gives free slots to the streams that have waited the longest.
    private mutating func fill(_ now: Int64) {
        while isRenounced || slots.isFree, !isAbandoned, let stream = takeTurn() {
            guard let input = queues[stream]?.removeInput() else { continue }
            waitingFrames -= input.frames
            for item in input.items { released.append(item) }
            turns.remove(input.frames - 1, of: stream)
            if !isRenounced {
                slots.begin(stream, now)
                if input.isWhole { releaseCredit(of: stream) }
            }
            releaseLeading(of: stream)
        }
        if waitingFrames == 0, let item = globalWatermark {
            globalWatermark = nil
            released.append(item)
        }
    }

    /// Removes and returns the stream whose turn it is: the stream that has waited longest. Streams with too many frames waiting
    /// downstream are passed over until the input has ended. After that, frames downstream may be waiting for the end itself,
    /// which arrives only after the frames that wait here.
    private mutating func takeTurn() -> StreamID? {
        turns.take { hasFinished || !slots.hasEnoughWaiting($0) }
    }

    /// Releases the marks at the front of a stream's queue, up to its first frame.
    private mutating func releaseLeading(of stream: StreamID) {
        for item in queues[stream]?.removeLeadingMarks() ?? [] {
            if case .mark(.inputEnd) = item { continue }
            released.append(item)
        }
        if queues[stream]?.isEmpty ?? false { queues[stream] = nil }
    }

    private mutating func markGap(_ frame: inout Element) {
        frame.gap.addSaturated(gapsToCome.take(frame.stream))
    }

    private mutating func drop(_ frame: Element, _ reason: DropReason, _ result: inout Offer) {
        dropped[reason, default: 0] += 1
        result.drops.append((frame, reason))
    }
}
