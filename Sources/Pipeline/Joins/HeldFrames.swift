/// The waiting frames of one lane of an aligned join, in the order of their keys.
///
/// - Complexity: Appending and removing the first take amortized constant time; searching for a key takes O(log n).
struct HeldFrames<Element: Payload> {
    private var items = Deque<AlignmentGroup<Element>.Held>()

    /// The number of waiting credits that belong to frames dropped upstream.
    private(set) var strayCredits = 0

    /// The number of waiting frames.
    var count: Int { items.count }

    /// The first waiting frame.
    var first: AlignmentGroup<Element>.Held? { items.first }

    /// The key of the first waiting frame.
    var firstKey: AlignmentKey? { items.isEmpty ? nil : items[0].key }

    subscript(index: Int) -> AlignmentGroup<Element>.Held { items[index] }

    mutating func append(_ held: AlignmentGroup<Element>.Held) { items.append(held) }

    /// Removes and returns the first frame. A frame must be waiting.
    mutating func removeFirst() -> AlignmentGroup<Element>.Held {
        let first = items.removeFirst()
        strayCredits -= first.strayCredits
        return first
    }

    /// Holds a credit until the last waiting frame leaves. A frame must be waiting.
    mutating func add(_ credit: Credit) {
        let last = count - 1
        if items[last].credits.contains(where: { $0.hasOwner(of: credit) }) {
            items[last].strayCredits += 1
            strayCredits += 1
        }
        items[last].credits.append(credit)
    }

    /// Removes and returns the credits of a frame.
    mutating func takeCredits(_ index: Int) -> [Credit] {
        strayCredits -= items[index].strayCredits
        items[index].strayCredits = 0
        defer { items[index].credits = [] }
        return items[index].credits
    }

    mutating func markUsed(_ index: Int) { items[index].isUsed = true }

    /// Returns the index of the first frame for which `isMeant` returns true, or `count` if there is none. The function must
    /// return true for all later frames too.
    func firstIndex(where isMeant: (AlignmentKey) -> Bool) -> Int {
        items.firstSortedIndex { isMeant($0.key) }
    }
}
