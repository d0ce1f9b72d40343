/// The queue of one stream at an edge that limits its frames in flight: frames, with the marks between them.
///
/// Adding an item and removing the first one take amortized constant time.
struct StreamQueue<Element: EdgeElement> {
    /// All items, the oldest first.
    private(set) var items = Deque<EdgeItem<Element>>()
    private(set) var frames = 0

    var isEmpty: Bool { items.isEmpty }

    mutating func append(_ frame: Element) {
        items.append(.frame(frame))
        frames += 1
    }

    mutating func append(_ mark: Mark) {
        items.appendMark(.mark(mark))
    }

    /// Removes the credits, because the consumer will take no more items.
    mutating func endCredits(_ ended: inout EndedCredits) { items.endCredits(&ended) }

    /// Returns the index of the oldest frame; `nil` if there is no frame.
    private func indexOfFrame() -> Int? { items.firstIndex { if case .frame = $0 { true } else { false } } }

    /// The oldest frame.
    var oldest: Element? {
        guard let index = indexOfFrame(), case .frame(let frame) = items[index] else { return nil }
        return frame
    }

    /// Everything that the previous stage emitted for one of its own input frames: frames, with the marks between them.
    struct Input {
        var items: [EdgeItem<Element>] = []
        var frames = 0
        /// Whether the output is complete.
        var isWhole = false
    }

    /// Removes and returns the first such input, up to the mark at its end.
    mutating func removeInput() -> Input {
        var input = Input()
        var count = 0
        taking: for item in items {
            count += 1
            switch item {
            case .mark(.inputEnd):
                guard input.frames > 0 else { continue }
                input.isWhole = true
                break taking
            case .frame: input.frames += 1
            case .mark: break
            }
            input.items.append(item)
        }
        items.removeFirst(count)
        frames -= input.frames
        return input
    }

    /// Removes and returns the marks before the first frame.
    mutating func removeLeadingMarks() -> [EdgeItem<Element>] {
        let count = indexOfFrame() ?? items.count
        defer { items.removeFirst(count) }
        return Array(items.prefix(count))
    }

    /// Returns whether there is no room for a frame.
    func isFull(_ policy: EdgePolicy, for frame: Element) -> Bool {
        if frames >= policy.capacity { return true }
        guard let capacityMs = policy.capacityMs, let oldest else { return false }
        return Double(frame.timestamp.microseconds(since: oldest.timestamp)) > capacityMs * 1000
    }

    /// Removes the oldest frames until the new frame has room, and adds the new frame. The gap of a removed frame moves to the next
    /// frame.
    ///
    /// - Returns: The frames that were removed.
    mutating func replaceOldest(by frame: Element, _ policy: EdgePolicy) -> [Element] {
        var frame = frame
        var replaced: [Element] = []
        while frames > 0, isFull(policy, for: frame), let index = indexOfFrame(), case .frame(let old) = items[index] {
            items.remove(at: index)
            frames -= 1
            replaced.append(old)
            let isAdded = items.addGap(of: old, from: index)
            if !isAdded { frame.gap.addSaturated(old.missing) }
        }
        append(frame)
        return replaced
    }
}
