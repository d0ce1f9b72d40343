/// The bounded queue of an edge, as a pure state machine: no lock, no waiting, no tasks.
///
/// The methods return what the caller must do. ``Edge`` adds the lock and the wakers.
struct EdgeState<Element: EdgeElement> {
    typealias Item = EdgeItem<Element>

    /// The outcome of an offer.
    struct Offer {
        /// Whether the consumer is waiting and must be woken.
        var wakesConsumer = false

        /// Whether items are left because the edge is full and its policy is to wait.
        var isFull = false

        /// Whether the edge overflowed and its policy is to fail.
        var overflowed = false

        /// The frames that were dropped, with the reasons.
        var drops: [(Element, DropReason)] = []

        /// The credits that end because the edge was abandoned.
        var ended = EndedCredits()
    }

    let policy: EdgePolicy
    /// The marks that waited behind frames that were dropped from the front. They come before `items`.
    var passed = ReleasedItems<Element>()
    var items = Deque<Item>()
    var frames = 0
    var credits = 0
    /// The number of marks in the queue above which superseded watermarks are removed.
    private var boundLimit = 64
    /// The number of marks in the queue at which frames wait, even if there is room for them.
    private static var mostMarks: Int { 4096 }
    private var consumerWaits = false
    private var producerWaits = false
    /// Whether the capacity is ignored.
    var isUnbounded = false
    /// Whether credits end here, instead of waiting for the consumer.
    var endsCredits = false
    private(set) var isFinished = false
    /// The reason for which frames are dropped because the consumer takes no more; `nil` if it still does.
    private var abandonment: DropReason?
    var isAbandoned: Bool { abandonment != nil }

    /// For each stream, the gap to add to the next frame that is taken from `items`, because waiting frames before it were dropped.
    var gapsAhead: StreamGaps
    /// For each stream, the gap to add to the next frame that is added, because the frames right before it were dropped.
    var gapsToCome: StreamGaps
    /// The streams whose current stroke is being dropped. Dropping stops at the frame that begins a new stroke.
    private var interrupted: RecentStreams<Void>

    private(set) var offered: Int64 = 0
    private(set) var taken: Int64 = 0
    var dropped: [DropReason: Int64] = [:]

    /// Returns whether a frame begins a stroke; `nil` if every frame can be dropped on its own. If set, dropping a frame drops its
    /// whole stroke.
    private let beginsAnew: (@Sendable (Element) -> Bool)?

    /// Whether watermarks, receipts and progress marks wait for room like frames, and are never removed. The items that the
    /// consumer sees then do not depend on when it looks.
    private let marksWait: Bool

    /// - Parameter maxStreams: The maximum number of streams whose gaps are kept.
    init(
        policy: EdgePolicy, beginsAnew: (@Sendable (Element) -> Bool)? = nil, marksWait: Bool = false,
        maxStreams: Int = 10_000
    ) {
        self.marksWait = marksWait && policy.onFull == .wait
        gapsAhead = StreamGaps(maxStreams: maxStreams)
        gapsToCome = StreamGaps(maxStreams: maxStreams)
        interrupted = RecentStreams(capacity: maxStreams)
        self.policy = policy
        self.beginsAnew = beginsAnew
    }

    /// The number of frames in the queue.
    var waiting: Int { frames }

    /// All items that wait.
    var all: [Item] { passed.items + items }

    var isEmpty: Bool { items.isEmpty && passed.isEmpty }

    /// Adds items to the queue, from `cursor` on. If items are left, leaves `cursor` at the first of them. Otherwise, empties
    /// `batch` and sets `cursor` to 0.
    ///
    /// - Complexity: Amortized O(1) per item and drop. With `capacity_ms`, O(n) per frame.
    mutating func offer(_ batch: inout [Item], from cursor: inout Int) -> Offer {
        var result = Offer()
        if cursor == 0, takeWhole(&batch) { return wake(result) }
        while cursor < batch.count {
            switch batch[cursor] {
            case .frame(var frame):
                if let abandonment {
                    offered += 1
                    drop(frame, abandonment, &result)
                } else if let beginsAnew, dropAsPart(frame, beginsAnew(frame), &result) {
                    break
                } else if !isFull(for: frame) || makeRoom(for: frame, &result) {
                    append(&frame)
                } else if result.isFull || result.overflowed {
                    return wake(result)
                }
            case .mark(.bound), .mark(.receipt), .mark(.progress):
                if marksWait, !isUnbounded, !isAbandoned, items.count >= max(64, policy.capacity) * 2 {
                    result.isFull = true
                    producerWaits = true
                    return wake(result)
                }
                appendMark(batch[cursor])
            case .mark(.end), .mark(.inputEnd):
                if case .mark(.end(let stream, _)) = batch[cursor] {
                    gapsToCome.take(stream)
                    interrupted.remove(stream)
                }
                if !isAbandoned { items.append(batch[cursor]) }
            case .mark(.credit):
                if isAbandoned || endsCredits {
                    result.ended.add(batch[cursor])
                } else {
                    items.append(batch[cursor])
                    credits += 1
                }
            }
            cursor += 1
        }
        batch.removeAll(keepingCapacity: true)
        cursor = 0
        return wake(result)
    }

    /// Makes a batch the queue as it is, if the queue is empty, nothing can be dropped, and the batch contains only frames. Returns
    /// whether it did.
    private mutating func takeWhole(_ batch: inout [Item]) -> Bool {
        guard policy.onFull == .wait, isEmpty, !isAbandoned, batch.count <= policy.capacity,
            policy.capacityMs == nil, gapsToCome.isEmpty,
            batch.allSatisfy({ if case .frame = $0 { true } else { false } })
        else { return false }
        items.exchange(with: &batch)
        frames = items.count
        offered += Int64(frames)
        return true
    }

    /// Takes the items that the consumer can process now. `buffer` must be empty.
    ///
    /// An edge whose policy is to wait returns all items, by swapping arrays. Any other edge returns only one frame, with the
    /// marks around it: a frame that was taken can no longer be dropped and does not count toward the capacity, so the consumer
    /// must process it at once.
    ///
    /// - Returns: Whether a producer waits for room and must be woken.
    mutating func take(into buffer: inout [Item]) -> Bool {
        if !passed.isEmpty { passed.take(into: &buffer) }
        let first = buffer.count
        if policy.onFull != .wait, frames >= 2 {
            takeOneFrame(into: &buffer)
        } else {
            if buffer.isEmpty {
                items.exchange(with: &buffer)
            } else {
                buffer += items
                items.removeAll()
            }
            taken += Int64(frames)
            (frames, credits) = (0, 0)
        }
        gapsAhead.move(to: &buffer, from: first)
        consumerWaits = buffer.isEmpty && !isFinished
        defer { producerWaits = false }
        return producerWaits
    }

    private mutating func takeOneFrame(into buffer: inout [Item]) {
        var hasFrame = false
        while let item = items.first {
            if case .frame = item {
                if hasFrame { break }
                hasFrame = true
                frames -= 1
                taken += 1
            }
            buffer.append(items.removeFirst())
        }
    }

    /// Records that no more items will follow.
    mutating func finish() -> EdgeWakes {
        isFinished = true
        defer { consumerWaits = false }
        return EdgeWakes(consumer: consumerWaits)
    }

    /// Takes back ``finish()`` and ``abandon()``, because other tasks continue.
    mutating func beginAgain() { (isFinished, abandonment) = (false, nil) }

    /// Counts a frame that was produced for this edge but must not be added.
    mutating func cancel() {
        offered += 1
        dropped[.cancelled, default: 0] += 1
    }

    /// Records that the consumer will take no more items. Waiting frames count as left, and new frames are dropped for `reason`.
    mutating func abandon(_ reason: DropReason = .cancelled) -> EdgeWakes {
        abandonment = abandonment ?? reason
        defer { producerWaits = false }
        var wakes = EdgeWakes(producer: producerWaits)
        guard credits > 0 else { return wakes }
        passed.endCredits(&wakes.ended)
        items.endCredits(&wakes.ended)
        credits = 0
        return wakes
    }

    private func isFull(for frame: Element) -> Bool {
        if isUnbounded { return false }
        if frames >= policy.capacity || indexOfOutdatedFrame(for: frame) != nil { return true }
        // A producer that can wait must not produce ends of streams faster than the consumer takes them.
        return policy.onFull == .wait && items.count - credits - frames >= max(Self.mostMarks, policy.capacity)
    }

    // MARK: Dropping whole strokes

    /// Drops a frame if the edge is full or if the frame continues a dropped stroke. When the edge is full, the waiting frames of
    /// the same stroke are dropped too. Returns whether the frame was dropped.
    private mutating func dropAsPart(_ frame: Element, _ begins: Bool, _ result: inout Offer) -> Bool {
        if begins { interrupted.remove(frame.stream) }
        let isPart = interrupted.known(frame.stream) != nil
        guard isPart || isFull(for: frame) else { return false }
        if !isPart, !begins { dropStroke(of: frame.stream, &result) }
        interrupted.update(frame.stream, ())
        dropNew(frame, isPart ? .interruptedStroke : .edgeFull, &result)
        return true
    }

    /// Drops the waiting frames of a stream's current stroke.
    private mutating func dropStroke(of stream: StreamID, _ result: inout Offer) {
        var (index, first) = (items.count, items.count)
        searching: while index > 0 {
            index -= 1
            switch items[index] {
            case .frame(let frame) where frame.stream == stream:
                first = index
                if beginsAnew?(frame) ?? true { break searching }
            case .mark(.end(stream, _)): break searching
            default: break
            }
        }
        let searched = Array(items[first...])
        items.removeSubrange(first...)
        for item in searched {
            guard case .frame(let frame) = item, frame.stream == stream else {
                items.append(item)
                continue
            }
            frames -= 1
            gapsToCome.add(frame.missing, of: stream)
            drop(frame, .interruptedStroke, &result)
        }
    }

    /// Applies the policy for a full edge. Returns whether the frame can be added now.
    private mutating func makeRoom(for frame: Element, _ result: inout Offer) -> Bool {
        switch policy.onFull {
        case .wait:
            result.isFull = true
            producerWaits = true
            return false
        case .fail:
            result.overflowed = true
            return false
        case .dropOldest where policy.capacity > 0:
            while let index = indexOfFrameToDrop(for: frame) { dropWaiting(at: index, &result) }
            return true
        case .dropOldest, .dropNewest:
            dropNew(frame, .edgeFull, &result)
            return false
        }
    }

    /// Drops a frame that was offered, and counts it as missing before the next one.
    private mutating func dropNew(_ frame: Element, _ reason: DropReason, _ result: inout Offer) {
        offered += 1
        gapsToCome.add(frame.missing, of: frame.stream)
        drop(frame, reason, &result)
    }

    private mutating func append(_ frame: inout Element) {
        frame.gap.addSaturated(gapsToCome.take(frame.stream))
        offered += 1
        frames += 1
        items.append(.frame(frame))
    }

    private mutating func appendMark(_ item: Item) {
        if isAbandoned { return }
        items.appendMark(item)
        // The watermarks of dropped frames stay in the queue, so remove those that later items supersede.
        guard !marksWait, items.count - frames > boundLimit else { return }
        items.removeSupersededMarks()
        boundLimit = max(64, items.count * 2)
    }

    mutating func drop(_ frame: Element, _ reason: DropReason, _ result: inout Offer) {
        dropped[reason, default: 0] += 1
        result.drops.append((frame, reason))
    }

    /// Forgets the dropped frames of a stream.
    mutating func forgetDrops(of stream: StreamID) {
        gapsAhead.take(stream)
        gapsToCome.take(stream)
        interrupted.remove(stream)
    }

    private mutating func wake(_ result: Offer) -> Offer {
        var result = result
        result.wakesConsumer = consumerWaits && !isEmpty
        if result.wakesConsumer { consumerWaits = false }
        return result
    }
}
