import Pipeline

/// What is known of each stream, for at most so many: when there are more, the least recently used is forgotten.
///
/// A hash table over a list in order of use; every operation is O(1), and one on the stream used last costs no look-up.
struct RecentStreams<Value: Sendable>: Sendable {
    private struct Node: Sendable {
        var stream: StreamID
        var value: Value?
        var newer = -1
        var older = -1
    }

    private let capacity: Int
    private var nodes: [Node] = []
    private var places: [StreamID: Int] = [:]
    private var free: [Int] = []
    private var newest = -1
    private var oldest = -1

    /// Knows nothing yet.
    init(capacity: Int = 10_000) { self.capacity = max(1, capacity) }

    /// How many streams are known.
    var count: Int { places.count }

    /// What is known of a stream, which counts as used by asking.
    subscript(stream: StreamID) -> Value? {
        mutating get {
            guard let place = find(stream) else { return nil }
            use(place)
            return nodes[place].value
        }
    }

    /// Changes what is known of a stream in place, or adds it.
    ///
    /// - Returns: What had to be forgotten to make room.
    @discardableResult
    mutating func update(_ stream: StreamID, _ value: Value) -> (stream: StreamID, value: Value)? {
        if let place = find(stream) {
            use(place)
            nodes[place].value = value
            return nil
        }
        let evicted = places.count >= capacity ? removeOldest() : nil
        let place = free.popLast() ?? nodes.count
        if place == nodes.count { nodes.append(Node(stream: stream, value: nil)) }
        nodes[place] = Node(stream: stream, value: value)
        places[stream] = place
        link(place)
        return evicted
    }

    /// Forgets a stream, and returns what was known of it.
    @discardableResult
    mutating func remove(_ stream: StreamID) -> Value? {
        guard let place = find(stream) else { return nil }
        unlink(place)
        places[stream] = nil
        free.append(place)
        defer { nodes[place].value = nil }
        return nodes[place].value
    }

    /// Forgets the least recently used stream, and returns what was known of it.
    mutating func removeOldest() -> (stream: StreamID, value: Value)? {
        guard oldest >= 0 else { return nil }
        let stream = nodes[oldest].stream
        return remove(stream).map { (stream, $0) }
    }

    private func find(_ stream: StreamID) -> Int? {
        if newest >= 0, nodes[newest].stream == stream { return newest }
        return places[stream]
    }

    private mutating func use(_ place: Int) {
        guard place != newest else { return }
        unlink(place)
        link(place)
    }

    private mutating func link(_ place: Int) {
        nodes[place].older = newest
        nodes[place].newer = -1
        if newest >= 0 { nodes[newest].newer = place }
        newest = place
        if oldest < 0 { oldest = place }
    }

    private mutating func unlink(_ place: Int) {
        let (newer, older) = (nodes[place].newer, nodes[place].older)
        if newer >= 0 { nodes[newer].older = older } else { newest = older }
        if older >= 0 { nodes[older].newer = newer } else { oldest = newer }
    }
}
