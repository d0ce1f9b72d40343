/// A value for each of the most recently used streams.
package typealias RecentStreams<Value> = Recent<StreamID, Value>

/// A value for each of the most recently used keys. If there are more keys than `capacity`, the least recently used one is evicted.
///
/// Implemented as a hash table over a linked list in the order of use. Every operation is O(1) unless noted otherwise, and an
/// operation on the most recently used key needs no lookup.
// Usable from inlinable code, so that other modules can inline it.
@usableFromInline
package struct Recent<Key: Hashable, Value> {
    @usableFromInline
    struct Node {
        @usableFromInline var key: Key
        @usableFromInline var value: Value?
        @usableFromInline var newer = -1
        @usableFromInline var older = -1

        @usableFromInline
        init(key: Key, value: Value?) { (self.key, self.value) = (key, value) }
    }

    @usableFromInline let capacity: Int
    @usableFromInline var nodes: [Node] = []
    @usableFromInline var places: [Key: Int] = [:]
    @usableFromInline var free: [Int] = []
    @usableFromInline var newest = -1
    @usableFromInline var oldest = -1

    /// Creates an empty collection.
    @inlinable
    package init(capacity: Int = 10_000) { self.capacity = max(1, capacity) }

    /// The number of keys.
    @inlinable package var count: Int { places.count }

    /// The value of a key, if any. Reading it counts as a use of the key.
    @inlinable
    package subscript(key: Key) -> Value? {
        mutating get {
            guard let place = find(key) else { return nil }
            use(place)
            return nodes[place].value
        }
    }

    /// Returns the value of a key, if any. This does not count as a use of the key.
    package func known(_ key: Key) -> Value? { find(key).flatMap { nodes[$0].value } }

    /// All keys with their values, the least recently used first.
    package var all: [(key: Key, value: Value)] {
        var all: [(key: Key, value: Value)] = []
        var place = oldest
        while place >= 0 {
            if let value = nodes[place].value { all.append((nodes[place].key, value)) }
            place = nodes[place].newer
        }
        return all
    }

    /// Replaces the value of a key, or adds the key.
    ///
    /// - Returns: The key that was evicted to make room, if any, with its value.
    @discardableResult
    @inlinable
    package mutating func update(_ key: Key, _ value: Value) -> (key: Key, value: Value)? {
        if let place = find(key) {
            use(place)
            nodes[place].value = value
            return nil
        }
        let evicted = places.count >= capacity ? removeOldest() : nil
        let place = free.popLast() ?? nodes.count
        if place == nodes.count { nodes.append(Node(key: key, value: nil)) }
        nodes[place] = Node(key: key, value: value)
        places[key] = place
        link(place)
        return evicted
    }

    /// Replaces the value of a key. This does not count as a use of the key. Returns `false` if there is no such key.
    mutating func replace(_ key: Key, _ value: Value) -> Bool {
        guard let place = find(key) else { return false }
        nodes[place].value = value
        return true
    }

    /// Modifies the value of a key in place; does nothing if there is none. Counts as a use of the key.
    @inlinable
    package mutating func change<Result>(_ key: Key, _ body: (inout Value) throws -> Result) rethrows -> Result? {
        guard let place = find(key) else { return nil }
        use(place)
        return try change(place, body)
    }

    /// Modifies the values of keys, the least recently used first, until `body` returns false. Does not count as a use.
    ///
    /// - Complexity: O(n).
    @inlinable
    package mutating func changeAll(_ body: (Key, inout Value) throws -> Bool) rethrows {
        var place = oldest
        while place >= 0 {
            let (key, newer) = (nodes[place].key, nodes[place].newer)
            guard try change(place, { try body(key, &$0) }) ?? false else { return }
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

    /// Removes a key and returns its value.
    @discardableResult
    @inlinable
    package mutating func remove(_ key: Key) -> Value? {
        guard let place = find(key) else { return nil }
        unlink(place)
        places[key] = nil
        free.append(place)
        defer { nodes[place].value = nil }
        return nodes[place].value
    }

    /// The least recently used key with its value. Reading it does not count as a use.
    @inlinable
    package var first: (key: Key, value: Value)? {
        guard oldest >= 0, let value = nodes[oldest].value else { return nil }
        return (nodes[oldest].key, value)
    }

    /// The most recently used key with its value.
    package var last: (key: Key, value: Value)? {
        guard newest >= 0, let value = nodes[newest].value else { return nil }
        return (nodes[newest].key, value)
    }

    /// Removes the least recently used key and returns it with its value.
    @inlinable
    package mutating func removeOldest() -> (key: Key, value: Value)? {
        guard let first else { return nil }
        remove(first.key)
        return first
    }

    @inlinable
    func find(_ key: Key) -> Int? {
        if newest >= 0, nodes[newest].key == key { return newest }
        return places[key]
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

extension Recent: Sendable where Key: Sendable, Value: Sendable {}
extension Recent.Node: Sendable where Key: Sendable, Value: Sendable {}
