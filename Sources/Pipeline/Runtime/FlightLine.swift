/// What waits of one stream before an edge with slots: frames, with the bounds and ends between them.
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

    /// What came of one input: frames, with the bounds between them that say nothing of the last.
    struct Input {
        var items: [EdgeItem<Element>] = []
        var frames = 0
        var time = Timestamp.beforeAll
        /// The receipt behind it, if there is one.
        var receipt: (stream: StreamID, time: Timestamp)?
    }

    /// Takes out what came of the first input: all up to the bound, receipt or end behind its last frame.
    mutating func removeInput() -> Input {
        var input = Input()
        taking: for item in items {
            switch item {
            case .frame(let frame):
                input.frames += 1
                input.time = max(input.time, frame.timestamp)
            case .bound(_, let time): if time >= input.time { break taking }
            case .receipt(let stream, let time):
                input.receipt = (stream, time)
                break taking
            case .end: break taking
            case .progress: break
            }
            input.items.append(item)
        }
        items.removeFirst(input.items.count)
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
