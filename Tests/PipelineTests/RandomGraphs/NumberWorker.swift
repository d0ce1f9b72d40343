/// What the stages of random graphs do with numbers. The engine's stages and the model both use it: what is tested is not
/// what a stage does, but what becomes of its frames.
struct NumberWorker: Sendable {
    /// What comes of one number.
    enum Reaction: Equatable {
        /// Numbers, each with how much earlier than the input it happened.
        case numbers([Number])
        /// The frame itself goes on.
        case forward
        /// It is let go on purpose.
        case drop
        /// It cannot be processed.
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

    /// A number made of two.
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

    /// The numbers that are left at the end of a stream.
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

    /// The parts of a number: none to two, each with an identity.
    static func parts(of value: Int) -> [(key: Int, value: Int)] {
        (0..<value % 3).map { ((value / 3 + $0) % 3, mix(value, $0)) }
    }

    /// A number made of what came of its parts.
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

    /// What comes out of a chain when numbers reach one of its stages.
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

    /// The last number that comes out of a chain at its end.
    private mutating func endPart(_ place: Int) -> Int? {
        var last: Int?
        for stage in parts[place].chain.indices {
            let rest = parts[place].chain[stage].end()
            last = pass(rest, through: place, from: stage + 1).last ?? last
        }
        return last
    }
}
