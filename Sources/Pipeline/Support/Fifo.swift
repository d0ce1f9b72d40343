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

/// A first-in, first-out queue. Appending and removing take amortized O(1).
struct Fifo<Element> {
    private var items: [Element] = []
    private var head = 0

    var count: Int { items.count - head }
    var isEmpty: Bool { head == items.count }
    var first: Element? { head < items.count ? items[head] : nil }
    var all: ArraySlice<Element> { items[head...] }

    /// The element at an index; the first element has the index 0.
    subscript(index: Int) -> Element {
        get { items[head + index] }
        _modify { yield &items[head + index] }
    }

    mutating func append(_ element: Element) { items.append(element) }

    /// Removes and returns the first element. The queue must not be empty.
    @discardableResult
    mutating func removeFirst() -> Element {
        let first = items[head]
        head += 1
        // Release the unused space at the front once it is larger than the used space.
        if head == items.count {
            removeAll()
        } else if head > 32, head > items.count / 2 {
            items.removeFirst(head)
            head = 0
        }
        return first
    }

    mutating func removeAll() {
        items.removeAll(keepingCapacity: true)
        head = 0
    }
}
