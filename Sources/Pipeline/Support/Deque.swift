extension RandomAccessCollection where Index == Int {
    /// Returns the index of the first element for which `isMeant` returns true, or `endIndex` if there is none. The function must
    /// return true for all later elements too. O(log n).
    func firstSortedIndex(where isMeant: (Element) -> Bool) -> Int {
        var (low, high) = (startIndex, endIndex)
        while low < high {
            let middle = (low + high) / 2
            if isMeant(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}

/// An array from whose front elements are removed in amortized O(1).
struct Deque<Element> {
    private var items: [Element] = []
    private var head = 0

    /// Exchanges the elements with those of an array. O(1) unless elements were removed from the front.
    mutating func exchange(with array: inout [Element]) {
        items.removeFirst(head)
        head = 0
        swap(&items, &array)
    }

    /// Releases the unused space at the front once it is larger than the used space.
    private mutating func giveRoomBack() {
        if head == items.count {
            removeAll(keepingCapacity: true)
        } else if head > 32, head > items.count / 2 {
            items.removeFirst(head)
            head = 0
        }
    }
}

extension Deque: RandomAccessCollection, MutableCollection, RangeReplaceableCollection {
    var startIndex: Int { 0 }
    var endIndex: Int { items.count - head }

    subscript(index: Int) -> Element {
        get { items[head + index] }
        _modify { yield &items[head + index] }
    }

    mutating func replaceSubrange<C: Collection>(_ range: Range<Int>, with new: C) where C.Element == Element {
        items.replaceSubrange(head + range.lowerBound..<head + range.upperBound, with: new)
        giveRoomBack()
    }

    mutating func append(_ element: Element) { items.append(element) }

    @discardableResult
    mutating func removeFirst() -> Element {
        let first = items[head]
        head += 1
        giveRoomBack()
        return first
    }

    mutating func removeFirst(_ count: Int) {
        head += count
        giveRoomBack()
    }

    mutating func removeAll(keepingCapacity: Bool = true) {
        items.removeAll(keepingCapacity: keepingCapacity)
        head = 0
    }
}

extension Deque: Sendable where Element: Sendable {}
