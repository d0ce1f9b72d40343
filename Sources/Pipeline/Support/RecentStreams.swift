/// What is known of each stream, for at most so many: when there are more, the least recently used is forgotten.
///
/// A hash table over a list in order of use; every operation is O(1), and one on the stream used last costs no look-up.
// For other modules its code is there only where it may be used from what is inlined.
@usableFromInline
package struct RecentStreams<Value: Sendable>: Sendable {
    @usableFromInline
    struct Node: Sendable {
        @usableFromInline var stream: StreamID
        @usableFromInline var value: Value?
        @usableFromInline var newer = -1
        @usableFromInline var older = -1

        @usableFromInline
        init(stream: StreamID, value: Value?) { (self.stream, self.value) = (stream, value) }
    }

    @usableFromInline let capacity: Int
    @usableFromInline var nodes: [Node] = []
    @usableFromInline var places: [StreamID: Int] = [:]
    @usableFromInline var free: [Int] = []
    @usableFromInline var newest = -1
    @usableFromInline var oldest = -1

    /// Knows nothing yet.
    @inlinable
    package init(capacity: Int = 10_000) { self.capacity = max(1, capacity) }

    /// How many streams are known.
    @inlinable package var count: Int { places.count }

    /// What is known of a stream, which counts as used by asking.
    @inlinable
    package subscript(stream: StreamID) -> Value? {
        mutating get {
            guard let place = find(stream) else { return nil }
            use(place)
            return nodes[place].value
        }
    }

    /// What is known of a stream, without counting as use.
    package func known(_ stream: StreamID) -> Value? { find(stream).flatMap { nodes[$0].value } }

    /// Changes what is known of a stream in place, or adds it.
    ///
    /// - Returns: What had to be forgotten to make room.
    @discardableResult
    @inlinable
    package mutating func update(_ stream: StreamID, _ value: Value) -> (stream: StreamID, value: Value)? {
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

    /// Changes what is known of a stream where it stands; does nothing when nothing is. The stream counts as used.
    @inlinable
    package mutating func change<Result>(_ stream: StreamID, _ body: (inout Value) throws -> Result) rethrows -> Result?
    {
        guard let place = find(stream) else { return nil }
        use(place)
        return try change(place, body)
    }

    /// Changes what is known of streams, the least recently used first, for as long as `body` says so. None counts as used.
    @inlinable
    package mutating func changeAll(_ body: (StreamID, inout Value) throws -> Bool) rethrows {
        var place = oldest
        while place >= 0 {
            let (stream, newer) = (nodes[place].stream, nodes[place].newer)
            guard try change(place, { try body(stream, &$0) }) ?? false else { return }
            place = newer
        }
    }

    /// Taken out and put back, so that what it holds has one owner while it changes.
    @inlinable
    mutating func change<Result>(_ place: Int, _ body: (inout Value) throws -> Result) rethrows -> Result? {
        guard var value = nodes[place].value.take() else { return nil }
        defer { nodes[place].value = value }
        return try body(&value)
    }

    /// Forgets a stream, and returns what was known of it.
    @discardableResult
    @inlinable
    package mutating func remove(_ stream: StreamID) -> Value? {
        guard let place = find(stream) else { return nil }
        unlink(place)
        places[stream] = nil
        free.append(place)
        defer { nodes[place].value = nil }
        return nodes[place].value
    }

    /// Forgets the least recently used stream, and returns what was known of it.
    @inlinable
    package mutating func removeOldest() -> (stream: StreamID, value: Value)? {
        guard oldest >= 0 else { return nil }
        let stream = nodes[oldest].stream
        return remove(stream).map { (stream, $0) }
    }

    @inlinable
    func find(_ stream: StreamID) -> Int? {
        if newest >= 0, nodes[newest].stream == stream { return newest }
        return places[stream]
    }

    @inlinable
    mutating func use(_ place: Int) {
        guard place != newest else { return }
        unlink(place)
        link(place)
    }

    @inlinable
    mutating func link(_ place: Int) {
        nodes[place].older = newest
        nodes[place].newer = -1
        if newest >= 0 { nodes[newest].newer = place }
        newest = place
        if oldest < 0 { oldest = place }
    }

    @inlinable
    mutating func unlink(_ place: Int) {
        let (newer, older) = (nodes[place].newer, nodes[place].older)
        if newer >= 0 { nodes[newer].older = older } else { newest = older }
        if older >= 0 { nodes[older].newer = newer } else { oldest = newer }
    }
}
