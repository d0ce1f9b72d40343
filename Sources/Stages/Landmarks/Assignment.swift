/// Solves the linear assignment problem: assigns columns to as many rows as possible and, among those assignments, minimizes the
/// sum of the costs.
///
/// The Hungarian algorithm (Kuhn, 1955; Munkres, 1957), with potentials and shortest augmenting paths as by Jonker and Volgenant.
/// Complexity: O(rows² · (rows + columns)).
struct Assignment: Sendable {
    /// The assigned column of each row; `nil` for a row without one.
    private(set) var columns: [Int?] = []

    // The costs of an impossible pair, and of a row without a column. Real costs are below 60.
    private static let (never, none) = (1e6, 1e4)

    private var costs: [Double] = []
    private var rowPotential: [Double] = []
    private var columnPotential: [Double] = []
    /// The row that each column is assigned to, counted from 1; 0 for none.
    private var owner: [Int] = []
    /// The column before each column on the shortest path to it.
    private var way: [Int] = []
    /// The smallest reduced cost found so far for each column.
    private var least: [Double] = []
    /// Whether each column is already part of the tree of shortest paths.
    private var isUsed: [Bool] = []

    /// Solves a new problem, reusing the memory.
    ///
    /// - Parameter cost: The cost of assigning a column to a row, small compared with 10,000; `nil` if the pair is impossible.
    mutating func solve(rows: Int, columns count: Int, cost: (_ row: Int, _ column: Int) -> Double?) {
        // Every row also has a dummy column of its own, which stands for "no column".
        let width = count + rows
        columns.refill(rows, nil)
        guard rows > 1 else { return solveOne(count, cost: cost) }
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

    /// Assigns the cheapest column to the only row, if there is a row.
    private mutating func solveOne(_ count: Int, cost: (_ row: Int, _ column: Int) -> Double?) {
        guard !columns.isEmpty else { return }
        var least = Self.none
        for column in 0..<count {
            guard let cost = cost(0, column), cost < least else { continue }
            (least, columns[0]) = (cost, column)
        }
    }

    /// Inserts a row along the shortest augmenting path.
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
    /// Replaces the contents by copies of one element, reusing the memory.
    fileprivate mutating func refill(_ count: Int, _ element: Element) {
        removeAll(keepingCapacity: true)
        append(contentsOf: repeatElement(element, count: count))
    }
}
