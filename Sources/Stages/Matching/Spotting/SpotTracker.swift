/// Follows all templates through a movement, by continuous dynamic programming (Machete, Taranta et al., TOCHI 2021): for every piece of
/// every template it knows the cheapest way in which the movement can have drawn the template up to there, wherever it began.
///
/// A step costs its length times (1 − cos)², with the angle between it and the piece; a way costs the mean over its length. O(pieces) a
/// step, without allocation.
struct SpotTracker: Sendable {
    /// A way begins only with a step that deviates by less than 20° from the first piece: (1 − cos 20°)².
    private static let costOfBeginning = 0.003636970306

    /// The cheapest way to the end of a piece.
    private struct Cell: Sendable {
        var cost = Double.infinity
        var length = Double.leastNormalMagnitude
        /// The number of the position at which it began.
        var start = 0

        /// The mean cost.
        var mean: Double { cost / length }
    }

    /// How well the movement up to now ends a template.
    struct Ending: Sendable {
        /// The mean cost of the cheapest way, corrected for where its ends lie.
        var score = Double.infinity
        /// The numbers of the positions at which it began and ended.
        var start = 0
        var end = 0
        /// Whether the one before was no better.
        var isFalling = false
    }

    private let templates: [SpotTemplate]
    /// The directions of all pieces, template after template.
    private let directions: [SpotTemplate.Direction]
    private let minDuration: Double
    private var cells: [Cell]
    /// By template.
    private(set) var endings: [Ending]

    /// - Parameter minDuration: The least duration of a match, as a share of the template's.
    init(_ templates: [SpotTemplate], minDuration: Double) {
        self.templates = templates
        self.minDuration = minDuration
        directions = templates.flatMap(\.directions)
        cells = Array(repeating: Cell(), count: directions.count)
        endings = Array(repeating: Ending(), count: templates.count)
    }

    /// Forgets the movement.
    mutating func reset() {
        for index in cells.indices { cells[index] = Cell() }
        for index in endings.indices { endings[index] = Ending() }
    }

    /// Takes the last step of a path. `ended` gets the endings before it that were better than those before and after them and below `threshold`.
    mutating func step(_ path: SpotPath, threshold: Double, ended: inout [(template: Int, ending: Ending)]) {
        let number = path.count - 1
        let (from, to) = (path[number - 1], path[number])
        let length = from.distance(to: to)
        let step = SpotTemplate.Direction(x: (to.x - from.x) / length, y: (to.y - from.y) / length)
        var first = 0
        for index in templates.indices {
            let range = first..<first + templates[index].directions.count
            first = range.upperBound
            let last = advance(range, step, length, number)
            var ending = Ending(score: score(templates[index], last, path), start: last.start, end: number)
            let before = endings[index]
            ending.isFalling = ending.score <= before.score
            if before.isFalling, before.score < threshold, ending.score >= before.score {
                ended.append((index, before))
            }
            endings[index] = ending
        }
    }

    /// Calls the endings that are still falling those of a movement that rests; they are not given again.
    mutating func rest(threshold: Double, ended: inout [(template: Int, ending: Ending)]) {
        for index in endings.indices where endings[index].isFalling && endings[index].score < threshold {
            ended.append((index, endings[index]))
            endings[index].isFalling = false
        }
    }

    /// Continues the ways of one template, whose pieces are `range`, by a step; returns the one to its end.
    @inline(__always)
    private mutating func advance(
        _ range: Range<Int>, _ step: SpotTemplate.Direction, _ length: Double, _ number: Int
    ) -> Cell {
        let beginning = Cell(cost: 0, length: 0, start: number - 1)
        // The cell of the piece before, after this step and before it.
        var (here, diagonal) = (beginning, beginning)
        var (hereMean, diagonalMean) = (Self.costOfBeginning, Self.costOfBeginning)
        for index in range {
            let old = cells[index]
            let oldMean = old.mean
            var (best, least) = (here, hereMean)
            if diagonalMean < least { (best, least) = (diagonal, diagonalMean) }
            if oldMean < least { best = old }
            let deviation = 1 - (step.x * directions[index].x + step.y * directions[index].y)
            best.cost += deviation * deviation * length
            best.length += length
            cells[index] = best
            (here, hereMean) = (best, best.mean)
            (diagonal, diagonalMean) = (old, oldMean)
        }
        return here
    }

    private func score(_ template: SpotTemplate, _ cell: Cell, _ path: SpotPath) -> Double {
        guard path.holds(cell.start) else { return .infinity }
        let (start, end) = (path[cell.start], path[path.count - 1])
        guard Double(end.time - start.time) >= minDuration * Double(template.duration) else { return .infinity }
        let way = SpotTemplate.Direction(x: end.x - start.x, y: end.y - start.y)
        return cell.mean * template.correction(way: way, length: cell.length)
    }
}
