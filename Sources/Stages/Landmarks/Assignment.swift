/// Gives rows to columns so that as many as possible get one and, of those, the costs are least in sum.
///
/// The assignment method of Kuhn (1955) and Munkres (1957), with potentials and shortest ways as Jonker and Volgenant do it.
/// O(rows² · (rows + columns)).
struct Assignment: Sendable {
    /// For each row its column; `nil` for one that gets none.
    private(set) var columns: [Int?] = []

    // What stands for a pair that cannot be, and for a row that gets none. Real costs are a few units.
    private static let (never, none) = (1e6, 1e4)

    private var costs: [Double] = []
    private var rowPotential: [Double] = []
    private var columnPotential: [Double] = []
    /// For each column the row that has it, counted from 1; 0 for none.
    private var owner: [Int] = []
    private var way: [Int] = []
    private var least: [Double] = []
    private var isUsed: [Bool] = []

    /// Solves again, in the memory it has.
    ///
    /// - Parameter cost: What it costs to give a row to a column, small against 10,000; `nil` when that cannot be.
    mutating func solve(rows: Int, columns count: Int, cost: (_ row: Int, _ column: Int) -> Double?) {
        // Every row has a column of its own beside, that stands for none.
        let width = count + rows
        columns.refill(rows, nil)
        guard rows > 0 else { return }
        costs.removeAll(keepingCapacity: true)
        for row in 0..<rows {
            for column in 0..<count { costs.append(min(cost(row, column) ?? Self.never, Self.never)) }
            for other in 0..<rows { costs.append(other == row ? Self.none : Self.never) }
        }
        rowPotential.refill(rows + 1, 0)
        columnPotential.refill(width + 1, 0)
        owner.refill(width + 1, 0)
        way.refill(width + 1, 0)
        for row in 1...rows { insert(row, width) }
        for column in 1...width where owner[column] > 0 && column <= count {
            let row = owner[column] - 1
            if costs[row * width + column - 1] < Self.none { columns[row] = column - 1 }
        }
    }

    /// Adds a row along the cheapest way on which others can make room.
    private mutating func insert(_ row: Int, _ width: Int) {
        least.refill(width + 1, .infinity)
        isUsed.refill(width + 1, false)
        owner[0] = row
        var column = 0
        repeat {
            isUsed[column] = true
            let current = owner[column]
            var (delta, next) = (Double.infinity, 0)
            for candidate in 1...width where !isUsed[candidate] {
                let reduced =
                    costs[(current - 1) * width + candidate - 1] - rowPotential[current] - columnPotential[candidate]
                if reduced < least[candidate] {
                    least[candidate] = reduced
                    way[candidate] = column
                }
                if least[candidate] < delta { (delta, next) = (least[candidate], candidate) }
            }
            for candidate in 0...width {
                if isUsed[candidate] {
                    rowPotential[owner[candidate]] += delta
                    columnPotential[candidate] -= delta
                } else {
                    least[candidate] -= delta
                }
            }
            column = next
        } while owner[column] != 0
        repeat {
            let previous = way[column]
            owner[column] = owner[previous]
            column = previous
        } while column != 0
    }
}

extension Array {
    /// Makes it that many of one element, in the memory it has.
    fileprivate mutating func refill(_ count: Int, _ element: Element) {
        removeAll(keepingCapacity: true)
        append(contentsOf: repeatElement(element, count: count))
    }
}
