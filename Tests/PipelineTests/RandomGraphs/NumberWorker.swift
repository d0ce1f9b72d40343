/// The work of the stages of random graphs. Both the engine's stages and the model use it: the tests check what happens to frames,
/// not what a stage computes.
struct NumberWorker: Sendable {
    /// The result for one number.
    enum Reaction: Equatable {
        /// Numbers to emit, each with the microseconds by which its timestamp is earlier than the input's.
        case numbers([Number])
        /// The frame itself is passed on.
        case forward
        /// The frame is dropped on purpose.
        case drop
        /// The frame cannot be processed.
        case failure
    }

    struct Number: Equatable {
        var value: Int
        var earlier: Int64 = 0
    }

    let work: Work
    private var held: Int?
    private var count = 0
    private var parts: [(key: Int, chain: [NumberWorker])] = []

    init(_ work: Work) { self.work = work }

    /// Returns a number computed from two numbers.
    static func mix(_ a: Int, _ b: Int) -> Int { (a * 31 + b + 7) % 1_000_003 }

    mutating func take(_ value: Int) -> Reaction {
        switch work {
        case .pass, .rename: return .forward
        case .add(let number): return .numbers([Number(value: Self.mix(value, number))])
        case .filter(let divisor): return value % divisor == 0 ? .drop : .forward
        case .copies(let count): return .numbers((0..<count).map { Number(value: Self.mix(value, $0)) })
        case .spread: return .numbers((0..<value % 4).map { Number(value: Self.mix(value, $0)) })
        case .hold:
            defer { held = value }
            return .numbers(held.map { [Number(value: $0)] } ?? [])
        case .rest:
            held = value
            return .numbers([])
        case .sum(let number):
            held = Self.mix(held ?? 0, value)
            count += 1
            guard count == number else { return .numbers([]) }
            return .numbers(end().map { Number(value: $0) })
        case .fail(let divisor): return value % divisor == 0 ? .failure : .numbers([Number(value: value)])
        case .early(let time): return .numbers([Number(value: value + 1, earlier: time), Number(value: value)])
        case .each(let works): return .numbers([Number(value: takeParts(of: value, works))])
        }
    }

    /// Returns the numbers that are left at the end of a stream.
    mutating func end() -> [Int] {
        switch work {
        case .hold, .rest, .sum:
            defer { (held, count) = (nil, 0) }
            return held.map { [$0] } ?? []
        case .each:
            let rest = parts.indices.map { (parts[$0].key, endPart($0)) }
            parts = []
            let there = rest.filter { $0.1 != nil }
            return there.isEmpty ? [] : [Self.whole(there.map { ($0.0, $0.1 ?? 0) })]
        default: return []
        }
    }

    // MARK: Parts

    /// Returns the parts of a number: zero to two, each with an identity.
    static func parts(of value: Int) -> [(key: Int, value: Int)] {
        (0..<value % 3).map { ((value / 3 + $0) % 3, mix(value, $0)) }
    }

    /// Returns a number computed from the results of its parts.
    static func whole(_ parts: [(key: Int, value: Int)]) -> Int { parts.reduce(1) { mix(mix($0, $1.key), $1.value) } }

    private mutating func takeParts(of value: Int, _ works: [Work]) -> Int {
        var results: [(key: Int, value: Int)] = []
        for part in Self.parts(of: value) {
            let place = parts.firstIndex { $0.key == part.key } ?? parts.count
            if place == parts.count { parts.append((part.key, works.map { NumberWorker($0) })) }
            if let last = pass([part.value], through: place, from: 0).last { results.append((part.key, last)) }
        }
        return Self.whole(results)
    }

    /// Returns what a part's chain emits when the numbers `values` enter it at the stage `first`.
    private mutating func pass(_ values: [Int], through place: Int, from first: Int) -> [Int] {
        var values = values
        for stage in parts[place].chain.indices.dropFirst(first) {
            values = values.flatMap { value -> [Int] in
                switch parts[place].chain[stage].take(value) {
                case .numbers(let numbers): numbers.map(\.value)
                case .forward: [value]
                case .drop, .failure: []
                }
            }
        }
        return values
    }

    /// Ends the chain of a part, and returns the last number that it emits.
    private mutating func endPart(_ place: Int) -> Int? {
        var last: Int?
        for stage in parts[place].chain.indices {
            let rest = parts[place].chain[stage].end()
            last = pass(rest, through: place, from: stage + 1).last ?? last
        }
        return last
    }
}
