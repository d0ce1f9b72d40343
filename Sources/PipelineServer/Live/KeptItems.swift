/// What was seen last, for scrubbing back: of so many seconds and bytes, whichever is less.
struct KeptItems {
    static let mostSeconds = 60
    static let mostBytes = 32 << 20

    private var items: [KeptItem] = []
    private var first = 0
    private(set) var bytes = 0

    /// What is kept, the oldest first.
    var all: ArraySlice<KeptItem> { items[first...] }

    mutating func add(_ item: KeptItem) {
        items.append(item)
        bytes += item.bytes
        while bytes > Self.mostBytes, first < items.count - 1 { dropFirst() }
    }

    /// Forgets what is too old at a time in milliseconds.
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
