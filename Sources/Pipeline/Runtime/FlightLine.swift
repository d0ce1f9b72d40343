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

    /// Adds to the gap of the oldest frame; returns false when there is none.
    mutating func markGap(_ gap: Int32) -> Bool {
        guard let index = indexOfFrame(), case .frame(var frame) = items[index] else { return false }
        frame.gap += gap
        items[index] = .frame(frame)
        return true
    }
}
