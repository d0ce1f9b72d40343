/// What waits of one stream before an edge with slots: frames, with the marks between them.
struct FlightLine<Element: EdgeElement> {
    var items: [EdgeItem<Element>] = []
    var frames = 0

    /// Where the oldest frame stands.
    func indexOfFrame() -> Int? {
        items.firstIndex { if case .frame = $0 { true } else { false } }
    }

    /// The oldest frame.
    var oldest: Element? {
        guard let index = indexOfFrame(), case .frame(let frame) = items[index] else { return nil }
        return frame
    }

    /// What came of one input: frames, with the marks between them.
    struct Input {
        var items: [EdgeItem<Element>] = []
        var frames = 0
        /// Whether all of it is here.
        var isWhole = false
    }

    /// Takes out what came of the first input: all up to the mark of its end.
    mutating func removeInput() -> Input {
        var input = Input()
        var count = 0
        taking: for item in items {
            count += 1
            switch item {
            case .inputEnd:
                guard input.frames > 0 else { continue }
                input.isWhole = true
                break taking
            case .frame: input.frames += 1
            case .bound, .receipt, .end, .credit, .progress: break
            }
            input.items.append(item)
        }
        items.removeFirst(count)
        frames -= input.frames
        return input
    }

    /// Adds to the gap of the oldest frame; returns false when there is none.
    mutating func markGap(_ gap: Int32) -> Bool {
        guard let index = indexOfFrame(), case .frame(var frame) = items[index] else { return false }
        frame.gap += gap
        items[index] = .frame(frame)
        return true
    }
}
