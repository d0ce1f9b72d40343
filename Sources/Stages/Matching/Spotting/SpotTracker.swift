/// Matches all templates against a movement by continuous dynamic programming (Machete, Taranta et al., TOCHI 2021).
///
/// A piece is the line from one corner of a template to the next. For every piece of every template, the tracker keeps the cheapest
/// alignment of the movement with the template up to the end of the piece. An alignment may begin anywhere in the movement.
///
/// The cost of a step is its length times (1 − cos)², where cos is the cosine of the angle between the step and the piece. The cost
/// of an alignment is the mean over its length. Complexity: O(pieces) per step, without allocations.
struct SpotTracker: Sendable {
    /// An alignment begins only with a step that deviates by less than 20° from the first piece: (1 − cos 20°)².
    private static let costOfBeginning = 0.003636970306

    /// The cheapest alignment to the end of a piece.
    private struct Cell: Sendable {
        var cost = Double.infinity
        var length = Double.leastNormalMagnitude
        /// The number of the position at which the alignment began.
        var start = 0

        /// The mean cost per length.
        var mean: Double { cost / length }
    }

    /// The cheapest alignment of the movement so far with a whole template.
    struct Ending: Sendable {
        /// The mean cost of the cheapest alignment, corrected for the positions of its ends.
        var score = Double.infinity
        /// The numbers of the positions at which the alignment began and ended.
        var start = 0
        var end = 0
        /// Whether the score is at most that of the previous step.
        var isFalling = false
    }

    private let templates: [SpotTemplate]
    /// The directions of all pieces, concatenated by template.
    private let directions: [SpotTemplate.Direction]
    private let minDuration: Double
    private var cells: [Cell]
    /// The ending of each template at the last step.
    private(set) var endings: [Ending]

    /// - Parameters:
    ///   - templates: The templates.
    ///   - minDuration: The smallest duration of a match, as a share of the template's duration.
    init(_ templates: [SpotTemplate], minDuration: Double) {
        self.templates = templates
        self.minDuration = minDuration
        directions = templates.flatMap(\.directions)
        cells = Array(repeating: Cell(), count: directions.count)
        endings = Array(repeating: Ending(), count: templates.count)
    }

    /// Discards the movement.
    mutating func reset() {
        for index in cells.indices { cells[index] = Cell() }
        for index in endings.indices { endings[index] = Ending() }
    }

    /// Processes the last step of a path.
    ///
    /// - Parameters:
    ///   - path: The path.
    ///   - threshold: The score below which an ending is reported.
    ///   - ended: Receives the endings of the previous step whose score is a local minimum and below the threshold.
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

    /// Reports the endings whose score is still falling when the movement comes to rest. They are not reported again.
    mutating func rest(threshold: Double, ended: inout [(template: Int, ending: Ending)]) {
        for index in endings.indices where endings[index].isFalling && endings[index].score < threshold {
            ended.append((index, endings[index]))
            endings[index].isFalling = false
        }
    }

    /// Advances the alignments of one template, whose pieces are `range`, by a step. Returns the alignment to the end of the
    /// template.
    @inline(__always)
    private mutating func advance(
        _ range: Range<Int>, _ step: SpotTemplate.Direction, _ length: Double, _ number: Int
    ) -> Cell {
        let beginning = Cell(cost: 0, length: 0, start: number - 1)
        // The cells of the previous piece, after this step and before this step.
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
        guard end.microseconds(since: start) >= minDuration * Double(template.duration) else { return .infinity }
        let span = SpotTemplate.Direction(x: end.x - start.x, y: end.y - start.y)
        return cell.mean * template.correction(span: span, length: cell.length)
    }
}
