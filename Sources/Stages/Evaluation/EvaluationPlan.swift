import Pipeline

/// One row of an evaluation: how many templates, from how many people, and how many draws.
struct EvaluationSetup: Sendable {
    /// The number of templates of each class, and of each person if several people provide templates.
    var templates: Int
    /// The number of other people who provide templates; 0 if templates and tests come from the same person.
    var users: Int
    /// The indices of the pools that have enough samples.
    var able: [Int]
    /// The number of draws.
    var draws: Int
}

/// The templates and tests of one draw, as indices of items.
struct EvaluationDraw: Sendable {
    /// The template items of each class that has templates.
    var templates: [[Int]] = []
    /// The indices of these classes in ``EvaluationPools/classes``, in the same order.
    var categories: [Int] = []
    /// The items to test. An item of another class is an unknown gesture.
    var tests: [Int] = []
}

/// Draws templates and tests according to a design. The draws do not depend on the pipeline under evaluation, so several pipelines
/// can be compared on the same draws.
struct EvaluationPlan {
    private let options: EvaluationOptions

    init(_ options: EvaluationOptions) { self.options = options }

    typealias Row = (design: EvaluationSetup, draws: [EvaluationDraw])

    /// Returns the rows for which there are enough data.
    ///
    /// - Throws: A configuration error if there are none, or if the number of repetitions is out of range.
    func rows(of pools: EvaluationPools) throws(PipelineError) -> [Row] {
        let allowed = EvaluationOptions.allowedRepetitions
        guard allowed.contains(options.repetitions) else {
            throw PipelineError(
                .configuration, "eval.repetitions",
                "\(options.repetitions) repetitions are out of range: \(allowed.lowerBound) to \(allowed.upperBound)",
                help: "100 repetitions are enough for most data")
        }
        let designs = designs(of: pools)
        guard !designs.isEmpty else {
            if pools.count > 0, !(0..<pools.count).contains(where: { hasEnoughClasses($0, pools) }) {
                throw PipelineError(
                    .configuration, "eval.too_few", "no user has samples of three classes, of which one is unknown",
                    help: "evaluate data with more classes, or choose another design")
            }
            let people = pools.people.filter { !$0.isEmpty }
            let least = (options.templates ?? options.design.defaultTemplates ?? [1]).min() ?? 1
            let needsPeople = !options.design.drawsFromGroups
            throw PipelineError(
                .configuration, "eval.too_few",
                needsPeople
                    ? "there are not enough people with samples of each class: "
                        + (people.isEmpty ? "no sample names its person" : shortList(people))
                    : "no user has enough samples of each class for \(least) template\(least == 1 ? "" : "s") and a test",
                help: needsPeople && people.isEmpty
                    ? "name the person of each stroke with subject; put the hands of each person into a folder of their own"
                    : "ask for fewer templates, or evaluate more data")
        }
        // Every row has its own random numbers, so asking for fewer rows does not change the remaining ones.
        return designs.map { design in
            var random = SplitMix64(seed: options.seed &+ UInt64(design.users * 1000 + design.templates))
            return (design, (0..<design.draws).map { draw(design, $0, pools, &random) })
        }
    }

    /// Returns the pools that rows leave out, each with the reason. Rows that leave out no pool are not included.
    func leftOut(of pools: EvaluationPools) -> [(templates: Int, pools: [String])] {
        var rows: [(templates: Int, pools: [String])] = []
        // The rows with the same number of templates leave out the same pools.
        for design in designs(of: pools) where !rows.contains(where: { $0.templates == design.templates }) {
            let able = Set(design.able)
            let left = (0..<pools.count).filter { !able.contains($0) }.compactMap { pool in
                drawnClasses(pool, pools).min { pools.samples[pool][$0].count < pools.samples[pool][$1].count }
                    .map { rarest in
                        let reason =
                            hasEnoughClasses(pool, pools)
                            ? "too few samples of \(pools.classes[rarest])" : "fewer than three classes"
                        return "\(pools.names[pool]) (\(reason))"
                    }
            }
            if !left.isEmpty { rows.append((design.templates, left)) }
        }
        return rows
    }

    /// Returns a row with a single draw, which contains all templates and tests.
    static func whole(_ pools: EvaluationPools, templates: Range<Int>, tests: Range<Int>) -> Row {
        var draw = EvaluationDraw()
        for category in pools.classes.indices {
            draw.templates.append(templates.filter { pools.category[$0] == category })
            draw.categories.append(category)
        }
        draw.tests = Array(tests)
        let most = draw.templates.map(\.count).max() ?? 0
        return (EvaluationSetup(templates: most, users: 0, able: [], draws: 1), [draw])
    }

    private func designs(of pools: EvaluationPools) -> [EvaluationSetup] {
        let templates = (options.templates ?? options.design.defaultTemplates ?? []).filter {
            (1..<Int.max).contains($0)
        }
        func able(_ count: Int) -> [Int] { (0..<pools.count).filter { pools.canGive(count, pool: $0) } }
        switch options.design {
        case .library: return []
        case .blocks:
            let able = able(2)
            let most = able.flatMap { split($0, pools).templates.map(\.count) }.max() ?? 0
            return most > 0 ? [EvaluationSetup(templates: most, users: 0, able: able, draws: able.count)] : []
        case .userDependent, .kShot, .openSet:
            return templates.compactMap { templates in
                let able = able(templates + 1).filter { hasEnoughClasses($0, pools) }
                guard !able.isEmpty else { return nil }
                return EvaluationSetup(
                    templates: templates, users: 0, able: able, draws: able.count * options.repetitions)
            }
        case .userIndependent:
            return options.users.filter { $0 > 0 }.flatMap { users in
                templates.compactMap { templates in
                    let able = able(templates)
                    guard able.count > users else { return nil }
                    return EvaluationSetup(templates: templates, users: users, able: able, draws: options.repetitions)
                }
            }
        case .leaveOnePersonOut:
            let others = pools.count - 1
            guard others > 0 else { return [] }
            guard !templates.isEmpty else {
                let most = pools.samples.flatMap { $0.map(\.count) }.max() ?? 0
                return [
                    EvaluationSetup(templates: most, users: others, able: Array(0..<pools.count), draws: pools.count)
                ]
            }
            return templates.compactMap { templates in
                let able = able(templates)
                guard able.count > 1 else { return nil }
                return EvaluationSetup(
                    templates: templates, users: able.count - 1, able: able, draws: able.count * options.repetitions)
            }
        }
    }

    private func draw(
        _ design: EvaluationSetup, _ number: Int, _ pools: EvaluationPools, _ random: inout SplitMix64
    ) -> EvaluationDraw {
        let pool = design.able.isEmpty ? 0 : design.able[number % design.able.count]
        switch options.design {
        case .blocks, .library: return split(pool, pools)
        case .openSet: return openSet(design, pool, pools, &random)
        case .userDependent: return own(design, pool, pools, testsAll: options.testsAll, &random)
        case .kShot: return own(design, pool, pools, testsAll: true, &random)
        case .userIndependent: return others(design, pools, &random)
        case .leaveOnePersonOut: return everybodyElse(design, pool, pools, &random)
        }
    }

    /// Returns whether a pool has enough classes: in an open set, one is unknown, and at least two are known.
    private func hasEnoughClasses(_ pool: Int, _ pools: EvaluationPools) -> Bool {
        options.design != .openSet || drawnClasses(pool, pools).count > 2
    }

    private func drawnClasses(_ pool: Int, _ pools: EvaluationPools) -> [Int] {
        pools.classes.indices.filter { !pools.samples[pool][$0].isEmpty }
    }

    /// Splits every class of a pool: the first samples are the templates, and the rest are the tests.
    private func split(_ pool: Int, _ pools: EvaluationPools) -> EvaluationDraw {
        var draw = EvaluationDraw()
        for category in pools.classes.indices {
            let all = pools.samples[pool][category]
            let count = Int(share: options.templateShare, of: all.count)
            guard count > 0 else { continue }
            draw.templates.append(Array(all[..<count]))
            draw.categories.append(category)
            draw.tests += all[count...]
        }
        return draw
    }

    private func own(
        _ design: EvaluationSetup, _ pool: Int, _ pools: EvaluationPools, testsAll: Bool, _ random: inout SplitMix64
    ) -> EvaluationDraw {
        var draw = EvaluationDraw()
        for category in drawnClasses(pool, pools) {
            let all = pools.samples[pool][category]
            let drawn = random.draw(testsAll ? all.count : design.templates + 1, of: all)
            draw.templates.append(Array(drawn.prefix(design.templates)))
            draw.categories.append(category)
            draw.tests += drawn.dropFirst(design.templates)
        }
        return draw
    }

    private func openSet(
        _ design: EvaluationSetup, _ pool: Int, _ pools: EvaluationPools, _ random: inout SplitMix64
    ) -> EvaluationDraw {
        var draw = EvaluationDraw()
        let all = drawnClasses(pool, pools)
        let wanted = Int(share: options.unknownShare, of: all.count, rounded: .toNearestOrAwayFromZero)
        let unknown = Set(random.draw(min(max(wanted, 1), all.count - 1), of: all))
        for category in all {
            let drawn = random.draw(design.templates + 1, of: pools.samples[pool][category])
            draw.tests += drawn.suffix(1)
            guard !unknown.contains(category) else { continue }
            draw.templates.append(Array(drawn.dropLast()))
            draw.categories.append(category)
        }
        return draw
    }

    private func others(
        _ design: EvaluationSetup, _ pools: EvaluationPools, _ random: inout SplitMix64
    ) -> EvaluationDraw {
        var draw = EvaluationDraw()
        var users = random.draw(design.users + 1, of: design.able)
        guard let tester = users.popLast() else { return draw }
        for category in pools.classes.indices {
            let templates = users.flatMap { random.draw(design.templates, of: pools.samples[$0][category]) }
            guard !templates.isEmpty else { continue }
            draw.templates.append(templates)
            draw.categories.append(category)
            draw.tests += random.draw(1, of: pools.samples[tester][category])
        }
        return draw
    }

    private func everybodyElse(
        _ design: EvaluationSetup, _ tester: Int, _ pools: EvaluationPools, _ random: inout SplitMix64
    ) -> EvaluationDraw {
        var draw = EvaluationDraw()
        for category in pools.classes.indices {
            let templates = design.able.filter { $0 != tester }.flatMap { pool in
                let all = pools.samples[pool][category]
                return design.templates < all.count ? random.draw(design.templates, of: all) : all
            }
            guard !templates.isEmpty else { continue }
            draw.templates.append(templates)
            draw.categories.append(category)
            draw.tests += pools.samples[tester][category]
        }
        return draw
    }
}

extension SplitMix64 {
    /// Returns a number in 0..<`bound`. `bound` must be positive. The bias is below bound/2⁶⁴.
    mutating func below(_ bound: Int) -> Int {
        Int(truncatingIfNeeded: next().multipliedFullWidth(by: UInt64(max(bound, 1))).high)
    }

    /// Returns `count` elements from different positions in random order, or all elements if there are fewer. A partial
    /// Fisher–Yates shuffle.
    mutating func draw<Element>(_ count: Int, of elements: [Element]) -> [Element] {
        var elements = elements
        let count = min(count, elements.count)
        for i in 0..<count { elements.swapAt(i, i + below(elements.count - i)) }
        return Array(elements.prefix(count))
    }
}
