/// A data set, grouped by pool and class.
struct EvaluationPools: Sendable {
    /// The key of a pool. A pool contains the samples of one person, or one group of a person's samples.
    private struct Pool: Hashable, Comparable {
        let user: String
        let group: String

        static func < (a: Pool, b: Pool) -> Bool { (a.user, a.group) < (b.user, b.group) }
    }

    /// The names of the classes: in alphabetical order, or as given.
    let classes: [String]
    /// The names of the people, in alphabetical order.
    let people: [String]
    /// The number of pools. Pools are ordered by the names of their people.
    let count: Int
    /// The names of the pools: the person, the group, or the person in the group.
    let names: [String]
    /// The indices of the items, by pool and then by class.
    let samples: [[[Int]]]
    /// The index of the person, by item.
    let person: [Int]
    /// The index of the class, by item; `nil` for an item of none of the given classes.
    let category: [Int?]

    /// - Parameters:
    ///   - byGroup: Whether each group of a person's samples is a pool of its own.
    ///   - classes: The classes, if they are not exactly those of the items.
    init(_ items: [EvaluationItem], byGroup: Bool, classes: [String]? = nil) {
        func pool(_ item: EvaluationItem) -> Pool { Pool(user: item.user, group: byGroup ? item.group : "") }
        let names = classes ?? Set(items.map(\.label)).sorted()
        let pools = Set(items.map(pool)).sorted()
        let people = Set(items.map(\.user)).sorted()
        let classPlace = Dictionary(names.enumerated().map { ($1, $0) }) { first, _ in first }
        let poolPlace = Dictionary(uniqueKeysWithValues: pools.enumerated().map { ($1, $0) })
        let personPlace = Dictionary(uniqueKeysWithValues: people.enumerated().map { ($1, $0) })
        var samples = [[[Int]]](repeating: [[Int]](repeating: [], count: names.count), count: pools.count)
        for (number, item) in items.enumerated() {
            guard let pool = poolPlace[pool(item)], let category = classPlace[item.label] else { continue }
            samples[pool][category].append(number)
        }
        (self.classes, self.people, count, self.samples) = (names, people, pools.count, samples)
        self.names = pools.map { pool in
            let parts = [pool.user, pool.group].filter { !$0.isEmpty }
            return parts.isEmpty ? "samples without a person" : parts.joined(separator: " in ")
        }
        person = items.map { personPlace[$0.user] ?? 0 }
        category = items.map { classPlace[$0.label] }
    }

    /// Returns whether a pool is not empty, and has at least `count` samples of every class that occurs in it.
    func canGive(_ count: Int, pool: Int) -> Bool {
        let drawn = samples[pool].filter { !$0.isEmpty }
        return !drawn.isEmpty && drawn.allSatisfy { $0.count >= count }
    }
}
