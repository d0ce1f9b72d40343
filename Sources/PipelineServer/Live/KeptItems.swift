/// The most recently observed frames and drops, kept so that clients can view the past. Limited in time and in memory.
struct KeptItems {
    static let mostSeconds = 60
    static let mostBytes = 32 << 20

    private var items: [KeptItem] = []
    private var first = 0
    private(set) var bytes = 0

    /// The kept items, oldest first.
    var all: ArraySlice<KeptItem> { items[first...] }

    mutating func add(_ item: KeptItem) {
        items.append(item)
        bytes += item.bytes
        while bytes > Self.mostBytes, first < items.count - 1 { dropFirst() }
    }

    /// Removes the items that are too old.
    ///
    /// - Parameter now: The current time in milliseconds.
    mutating func forget(at now: Int64) {
        while first < items.count, items[first].time < now - Int64(Self.mostSeconds) * 1000 { dropFirst() }
        if first > 1024, first > items.count / 2 {
            items.removeFirst(first)
            first = 0
        }
    }

    private mutating func dropFirst() {
        bytes -= items[first].bytes
        items[first].frame = nil
        items[first].event = nil
        items[first].result = nil
        first += 1
    }
}
