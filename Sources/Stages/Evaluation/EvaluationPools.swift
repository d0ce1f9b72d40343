/// A data set, sorted by pool and class.
struct EvaluationPools: Sendable {
    /// What samples are drawn from together: those of a person, or of one of a person's groups.
    private struct Pool: Hashable, Comparable {
        let user: String
        let group: String

        static func < (a: Pool, b: Pool) -> Bool { (a.user, a.group) < (b.user, b.group) }
    }

    /// The names of the classes: in alphabetical order, or those given.
    let classes: [String]
    /// The names of the people, in alphabetical order.
    let people: [String]
    /// How many pools there are; they stand in the order of their people's names.
    let count: Int
    /// By pool, then by class: which items.
    let samples: [[[Int]]]
    /// By item: its person.
    let person: [Int]
    /// By item: its class; `nil` for what is of none of the classes given.
    let category: [Int?]

    /// - Parameters:
    ///   - byGroup: Whether the groups of a person are drawn from apart.
    ///   - classes: The classes, where they are not all those of the items.
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
        person = items.map { personPlace[$0.user] ?? 0 }
        category = items.map { classPlace[$0.label] }
    }

    /// Whether a pool has something, and of every class in it at least `count` samples.
    func canGive(_ count: Int, pool: Int) -> Bool {
        let drawn = samples[pool].filter { !$0.isEmpty }
        return !drawn.isEmpty && drawn.allSatisfy { $0.count >= count }
    }
}
