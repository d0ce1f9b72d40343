/// A value for each of the most recently used streams. If there are more streams than `capacity`, the least recently used one is
/// evicted.
///
/// Implemented as a hash table over a linked list in the order of use. Every operation is O(1) unless noted otherwise, and an
/// operation on the most recently used stream needs no lookup.
// Usable from inlinable code, so that other modules can inline it.
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

    /// Creates an empty collection.
    @inlinable
    package init(capacity: Int = 10_000) { self.capacity = max(1, capacity) }

    /// The number of streams.
    @inlinable package var count: Int { places.count }

    /// The value of a stream, if any. Reading it counts as a use of the stream.
    @inlinable
    package subscript(stream: StreamID) -> Value? {
        mutating get {
            guard let place = find(stream) else { return nil }
            use(place)
            return nodes[place].value
        }
    }

    /// Returns the value of a stream, if any. This does not count as a use of the stream.
    package func known(_ stream: StreamID) -> Value? { find(stream).flatMap { nodes[$0].value } }

    /// All streams with their values, the least recently used first.
    package var all: [(stream: StreamID, value: Value)] {
        var all: [(stream: StreamID, value: Value)] = []
        var place = oldest
        while place >= 0 {
            if let value = nodes[place].value { all.append((nodes[place].stream, value)) }
            place = nodes[place].newer
        }
        return all
    }

    /// Replaces the value of a stream, or adds the stream.
    ///
    /// - Returns: The stream that was evicted to make room, if any, with its value.
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

    /// Modifies the value of a stream in place; does nothing if the stream has none. Counts as a use of the stream.
    @inlinable
    package mutating func change<Result>(_ stream: StreamID, _ body: (inout Value) throws -> Result) rethrows -> Result?
    {
        guard let place = find(stream) else { return nil }
        use(place)
        return try change(place, body)
    }

    /// Modifies the values of streams, the least recently used first, until `body` returns false. Does not count as a use.
    ///
    /// - Complexity: O(n).
    @inlinable
    package mutating func changeAll(_ body: (StreamID, inout Value) throws -> Bool) rethrows {
        var place = oldest
        while place >= 0 {
            let (stream, newer) = (nodes[place].stream, nodes[place].newer)
            guard try change(place, { try body(stream, &$0) }) ?? false else { return }
            place = newer
        }
    }

    /// Modifies a value in place. The value is taken out during the call, so that its storage has only one owner and is not
    /// copied.
    @inlinable
    mutating func change<Result>(_ place: Int, _ body: (inout Value) throws -> Result) rethrows -> Result? {
        guard var value = nodes[place].value.take() else { return nil }
        defer { nodes[place].value = value }
        return try body(&value)
    }

    /// Removes a stream and returns its value.
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

    /// Removes the least recently used stream and returns it with its value.
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
