import Pipeline

extension SourceBatch {
    /// An item that was read.
    package enum Item: Sendable {
        case frame(Frame<Output>)
        case event(SourceEvent.What)
    }

    /// All items in the order in which they were read. O(items).
    package var items: [Item] {
        var items = (0..<frames.count).map { Item.frame(frames[$0]) }
        for event in events.reversed() { items.insert(.event(event.what), at: event.place) }
        return items
    }
}
