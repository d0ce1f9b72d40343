/// An edge that hands a frame over only while fewer than `in_flight` of its frames are unfinished, as a pure state
/// machine: no lock, no waiting, no tasks, and the time is given.
///
/// Frames that find no free slot wait in line, each stream in its own of at most `capacity`. A free slot goes to the
/// stream whose turn has waited longest; a newer frame takes the turn of the one it replaces, so that no stream starves
/// however fast the others are. A drop is decided only after slots have been filled, so that nothing is dropped while one
/// is free.
///
/// Frames that a stage makes of one input hold one slot together, which is free when the last of them is finished.
///
/// Behind the frames that hold a slot a ``Credit`` goes. They are finished when it and all that were divided off it have ended.
/// While they all wait where edges come together, for what another edge brings, they hold no slot: that other frame may itself be
/// waiting for one. Of each stream at most as many wait so as there is room for, or 64, and one more, which tells the place where
/// they wait that there are as many; at the end, those in line as well.
/// MediaPipe's flow limiter (flow_limiter_calculator.cc: `max_in_flight`, `max_in_queue`,
/// `in_flight_timeout`) does the same by a back edge of the graph that has to be wired by hand.
struct FlightState<Element: EdgeElement> {
    typealias Item = EdgeItem<Element>
    typealias Offer = EdgeState<Element>.Offer

    private typealias Line = FlightLine<Element>

    /// Whom to wake after something changed.
    struct Wakes {
        var consumer = false
        var producer = false
        /// What ends with it, under no lock.
        var ended = EndedCredits()
    }

    let policy: EdgePolicy
    private var slots: FlightSlots
    private var lines: [StreamID: Line] = [:]
    private var turns = FlightTurns()
    /// The streams of the frames that came since the last input ended, and of those that came of that one.
    private var openInput: [StreamID] = []
    private var lastInput: [StreamID] = []
    /// Whether nobody needs to be waited for.
    private var isRenounced = false
    private var released = ReleasedItems<Element>()
    /// What is known of all streams waits behind the frames of all.
    private var boundOfAll: Item?
    private var gapsToCome: [StreamID: Int32] = [:]
    private var waitingFrames = 0
    private var consumerWaits = false
    private var producerWaits = false
    private var hasFinished = false
    private(set) var isAbandoned = false

    private(set) var offered: Int64 = 0
    private(set) var taken: Int64 = 0
    private(set) var dropped: [DropReason: Int64] = [:]

    /// - Parameter policy: The edge's policy; without `inFlight` one frame may be unfinished.
    init(policy: EdgePolicy) {
        self.policy = policy
        slots = FlightSlots(policy)
    }

    /// Names who is to be told what becomes of credits.
    mutating func belong(to owner: any CreditOwner) { slots.owner = owner }

    /// Frames that were offered and not yet taken.
    var waiting: Int { waitingFrames + released.frames }

    /// Frames handed over and not finished.
    var unfinished: Int { slots.unfinished }

    /// How many frames were no longer counted because they took longer than the time-out.
    var timedOut: Int64 { slots.timedOut }

    /// Whether nothing will come out any more.
    var isFinished: Bool { hasFinished && (waitingFrames == 0 || isAbandoned) && released.isEmpty }

    /// When the next unfinished frame stops counting.
    var nextDeadline: Int64? { slots.nextDeadline }

    // MARK: The two ends

    /// Takes items from `cursor` on; moves the cursor behind the last one dealt with. O(1) an item, plus O(capacity) a
    /// drop.
    mutating func offer(_ batch: inout [Item], from cursor: inout Int, now: Int64) -> Offer {
        var result = Offer()
        expire(now)
        while cursor < batch.count {
            switch batch[cursor] {
            case .frame(let frame):
                guard offer(frame, now, &result) else { return wake(result) }
            // Edges with slots carry bounds of every frame instead.
            case .progress: break
            case .bound(nil, _):
                if isAbandoned { break }
                if waitingFrames == 0 { released.append(batch[cursor]) } else { boundOfAll = batch[cursor] }
            case .bound(let stream?, _), .end(let stream), .credit(_, let stream?):
                if isAbandoned { result.ended.add(batch[cursor]) } else { append(batch[cursor], of: stream) }
            case .credit(_, nil):
                if isAbandoned { result.ended.add(batch[cursor]) } else { released.append(batch[cursor]) }
            case .receipt(let stream, _):
                if !isAbandoned { append(batch[cursor], of: lastInput + [stream]) }
            case .inputEnd: endInput()
            }
            cursor += 1
        }
        batch.removeAll(keepingCapacity: true)
        cursor = 0
        return wake(result)
    }

    /// Takes what has been handed over; `buffer` must be empty.
    ///
    /// - Returns: Whether a producer waits for room and must be woken.
    @discardableResult
    mutating func take(into buffer: inout [Item]) -> Bool {
        taken += Int64(released.take(into: &buffer))
        consumerWaits = buffer.isEmpty && !isFinished
        return !buffer.isEmpty && wakesProducer()
    }

    /// No more will be offered; what waits will still be handed over.
    mutating func finish(now: Int64) -> Wakes {
        hasFinished = true
        endInput()
        return refill(now)
    }

    /// Counts a frame that was made for it and must not come in.
    mutating func cancel() {
        offered += 1
        dropped[.cancelled, default: 0] += 1
    }

    /// Nobody takes from it any more: what waits stays as left, what comes is dropped.
    mutating func abandon() -> Wakes {
        isAbandoned = true
        var ended = EndedCredits()
        released.endCredits(&ended)
        for stream in lines.keys.sorted(by: { $0.name < $1.name }) {
            for item in lines[stream]?.items ?? [] { ended.add(item) }
            lines[stream]?.items.removeAll { if case .credit = $0 { true } else { false } }
        }
        var wakes = wakes()
        wakes.ended = ended
        return wakes
    }

    /// Everything that is held, for whoever must free it.
    mutating func drain() -> [Item] {
        defer { (released, lines) = (ReleasedItems(), [:]) }
        return released.items + lines.values.flatMap(\.items)
    }

    // MARK: What is finished

    /// Something became of a credit of a slot.
    mutating func credit(_ number: Int, _ change: Credit.Change, now: Int64) -> Wakes {
        slots.change(number, change) ? refill(now) : Wakes()
    }

    /// Nothing is done any more with what is handed over: nobody needs to be waited for.
    mutating func renounce(now: Int64) -> Wakes {
        isRenounced = true
        slots.giveBackAll()
        return refill(now)
    }

    /// The run's clock shows `now`.
    mutating func pass(_ now: Int64) -> Wakes {
        expire(now)
        return wakes()
    }

    private mutating func refill(_ now: Int64) -> Wakes {
        fill(now)
        return wakes()
    }

    private mutating func expire(_ now: Int64) { if slots.expire(now) { fill(now) } }

    // MARK: Frames

    /// Returns false when the frame must wait outside, or when the run must fail.
    private mutating func offer(_ frame: Element, _ now: Int64, _ result: inout Offer) -> Bool {
        var frame = frame
        if isAbandoned {
            offered += 1
            drop(frame, .cancelled, &result)
            return true
        }
        let line = lines[frame.stream]
        if line == nil, slots.isOpen(frame.stream) {
            return join(frame, &result)
        }
        if (line?.frames ?? 0) > 0 || !slots.isFree || slots.hasEnoughWaiting(frame.stream), isFull(line, for: frame) {
            switch policy.onFull {
            case .wait:
                // It may wait for the slot of another stream's frames of the same input.
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
                gapsToCome[frame.stream, default: 0] += 1 + frame.gap
                drop(frame, .edgeFull, &result)
            }
            return true
        }
        markGap(&frame)
        offered += 1
        noteInput(frame)
        lines[frame.stream, default: Line()].items.append(.frame(frame))
        lines[frame.stream]?.frames += 1
        waitingFrames += 1
        turns.append(frame.stream)
        fill(now)
        return true
    }

    /// Hands over another frame of an input that holds a slot. Returns false when it must wait outside, so that what one input
    /// makes does not pile up before a consumer that is slow.
    private mutating func join(_ frame: Element, _ result: inout Offer) -> Bool {
        guard policy.onFull != .wait || released.frames < slots.room else {
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

    /// No more frames come of the input whose frames came last, but for those of one stream.
    private mutating func endInput(but other: StreamID? = nil) {
        for stream in openInput where stream != other {
            if lines[stream] != nil { lines[stream]?.items.append(.inputEnd) } else { releaseCredit(of: stream) }
        }
        lastInput = openInput
        openInput.removeAll { $0 != other }
    }

    /// Puts the credit behind all frames of a slot, if a stream has one of which more might have come.
    private mutating func releaseCredit(of stream: StreamID) {
        if let credit = slots.close(stream) { released.append(.credit(credit, of: stream)) }
    }

    private func isFull(_ line: Line?, for frame: Element) -> Bool {
        line?.isFull(policy, for: frame) ?? (policy.capacity <= 0)
    }

    /// Drops the oldest frames of the stream until the new one has room; the next one inherits their gap, and the new one
    /// their turn.
    private mutating func replaceOldest(by frame: Element, _ result: inout Offer) {
        var line = lines[frame.stream] ?? Line()
        let replaced = line.replaceOldest(by: frame, policy)
        for old in replaced { drop(old, .edgeFull, &result) }
        noteInput(frame)
        waitingFrames += 1 - replaced.count
        // Each frame that waits has one turn: the new one has that of one it replaces.
        if replaced.isEmpty { turns.append(frame.stream) }
        lines[frame.stream] = line
        releaseLeading(of: frame.stream)
    }

    private mutating func append(_ item: Item, of stream: StreamID) {
        guard lines[stream] != nil else { return released.append(item) }
        lines[stream]?.items.appendBound(item)
    }

    /// Puts a receipt behind the frames that it speaks of, which may have other names.
    private mutating func append(_ item: Item, of streams: [StreamID]) {
        var isBehind = false
        for stream in streams where lines[stream] != nil {
            lines[stream]?.items.appendBound(item)
            isBehind = true
        }
        if !isBehind { released.append(item) }
    }

    /// Gives free slots to those who have waited longest.
    private mutating func fill(_ now: Int64) {
        while isRenounced || slots.isFree, !isAbandoned, let stream = takeTurn() {
            guard var line = lines[stream], line.frames > 0 else { continue }
            let input = line.removeInput()
            guard input.frames > 0 else { continue }
            lines[stream] = line
            waitingFrames -= input.frames
            for item in input.items { released.append(item) }
            for _ in 1..<input.frames { turns.remove(of: stream) }
            if !isRenounced {
                slots.begin(stream, now)
                if input.isWhole { releaseCredit(of: stream) }
            }
            releaseLeading(of: stream)
        }
        if waitingFrames == 0, let item = boundOfAll {
            boundOfAll = nil
            released.append(item)
        }
    }

    /// The stream whose turn it is: the one that has waited longest, of those of which not too many wait further on. At the end
    /// no stream has too many: what waits further on may wait for the end, which comes behind what waits here.
    private mutating func takeTurn() -> StreamID? {
        turns.take { hasFinished || !slots.hasEnoughWaiting($0) }
    }

    /// Lets go what no frame stands before any more.
    private mutating func releaseLeading(of stream: StreamID) {
        guard var line = lines[stream] else { return }
        let count = line.indexOfFrame() ?? line.items.count
        for item in line.items[..<count] {
            if case .inputEnd = item { continue }
            released.append(item)
        }
        line.items.removeFirst(count)
        lines[stream] = line.items.isEmpty ? nil : line
    }

    private mutating func markGap(_ frame: inout Element) {
        if !gapsToCome.isEmpty, let gap = gapsToCome.removeValue(forKey: frame.stream) { frame.gap += gap }
    }

    private mutating func drop(_ frame: Element, _ reason: DropReason, _ result: inout Offer) {
        dropped[reason, default: 0] += 1
        result.drops.append((frame, reason))
    }

    // MARK: Waking

    private mutating func wake(_ result: Offer) -> Offer {
        var result = result
        result.wakesConsumer = wakesConsumer()
        return result
    }

    private mutating func wakesConsumer() -> Bool {
        guard consumerWaits, !released.isEmpty || isFinished else { return false }
        consumerWaits = false
        return true
    }

    /// Whoever waits for room looks again whenever something has moved: which line it waits for is not noted.
    private mutating func wakesProducer() -> Bool {
        defer { producerWaits = false }
        return producerWaits
    }

    private mutating func wakes() -> Wakes { Wakes(consumer: wakesConsumer(), producer: wakesProducer()) }
}
