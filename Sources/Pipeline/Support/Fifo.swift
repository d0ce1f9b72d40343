/// A queue: adding at the end and taking from the front cost a constant on average.
struct Fifo<Element> {
    private var items: [Element] = []
    private var head = 0

    var count: Int { items.count - head }
    var isEmpty: Bool { head == items.count }
    var first: Element? { head < items.count ? items[head] : nil }
    var all: ArraySlice<Element> { items[head...] }

    mutating func append(_ element: Element) { items.append(element) }

    /// Takes the first, which there must be.
    @discardableResult
    mutating func removeFirst() -> Element {
        let first = items[head]
        head += 1
        // Give the room back once the dead part is the larger.
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
