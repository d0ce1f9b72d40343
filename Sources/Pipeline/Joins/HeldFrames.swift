/// Frames of one lane of an aligned input that wait, in the order of their keys.
///
/// Adding at the end and taking from the front cost a constant on average, looking for a key O(log n).
struct HeldFrames<Element: Payload> {
    private var items: [AlignmentGroup<Element>.Held] = []
    private var head = 0

    /// How many credits wait that stand behind no frame of their own.
    private(set) var strayCredits = 0

    /// How many wait.
    var count: Int { items.count - head }

    /// The frame that waits first.
    var first: AlignmentGroup<Element>.Held? { head < items.count ? items[head] : nil }

    /// The key of the frame that waits first.
    var firstKey: AlignmentKey? { head < items.count ? items[head].key : nil }

    subscript(index: Int) -> AlignmentGroup<Element>.Held { items[head + index] }

    mutating func append(_ held: AlignmentGroup<Element>.Held) { items.append(held) }

    /// Takes the first, which there must be.
    mutating func removeFirst() -> AlignmentGroup<Element>.Held {
        let first = items[head]
        strayCredits -= first.strayCredits
        head += 1
        // Give the room back once the dead part is the larger.
        if head == items.count {
            items.removeAll(keepingCapacity: true)
            head = 0
        } else if head > 32, head > items.count / 2 {
            items.removeFirst(head)
            head = 0
        }
        return first
    }

    /// Lets a credit wait behind the frame that waits last, which there must be.
    mutating func add(_ credit: Credit) {
        let last = items.count - 1
        if items[last].credits.contains(where: { $0.hasOwner(of: credit) }) {
            items[last].strayCredits += 1
            strayCredits += 1
        }
        items[last].credits.append(credit)
    }

    /// Takes the credits off a frame.
    mutating func takeCredits(_ index: Int) -> [Credit] {
        strayCredits -= items[head + index].strayCredits
        items[head + index].strayCredits = 0
        defer { items[head + index].credits = [] }
        return items[head + index].credits
    }

    mutating func markUsed(_ index: Int) { items[head + index].isUsed = true }

    /// The first place from which on `isBehind` holds, which must hold for all that come after one it holds for.
    func firstIndex(where isBehind: (AlignmentKey) -> Bool) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if isBehind(items[head + middle].key) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
