/// Draws lines on an 8×8 grid of cells.
///
/// A line blackens every cell that it passes through, however far apart its ends are. The cells are found by grid traversal
/// (Amanatides, Woo, "A fast voxel traversal algorithm", Eurographics 1987). Complexity: O(cells passed), at most 15 per line.
struct BitmapPen {
    /// A position on the grid. Cell (c, r) spans (c, r) to (c + 1, r + 1). A position outside the grid belongs to the nearest cell.
    struct Place {
        var x: Double
        var y: Double
    }

    /// The black cells, in the bit order of ``Bitmap/bits``.
    private(set) var bits: UInt64 = 0

    /// Blackens the cell that contains a position.
    mutating func dot(_ place: Place) { blacken(Self.cell(place.x), Self.cell(place.y)) }

    /// Blackens every cell on the line between two positions.
    mutating func line(from start: Place, to end: Place) {
        // Always walk from the same end. Otherwise a line drawn backward could pass through different cells, because of rounding.
        let isForward = start.x < end.x || (start.x == end.x && start.y <= end.y)
        let (a, b) = isForward ? (start, end) : (end, start)
        var (column, row) = (Self.cell(a.x), Self.cell(a.y))
        let (lastColumn, lastRow) = (Self.cell(b.x), Self.cell(b.y))
        blacken(column, row)
        let stepDown = lastRow > row ? 1 : -1
        // Every iteration moves one cell closer to the end.
        while column < lastColumn || row != lastRow {
            if row == lastRow {
                column += 1
            } else if column >= lastColumn {
                row += stepDown
            } else {
                // The fractions of the line at which the next column and the next row begin. A line through a corner steps
                // diagonally.
                let toColumn = (Double(column + 1) - a.x) / (b.x - a.x)
                let toRow = (Double(stepDown > 0 ? row + 1 : row) - a.y) / (b.y - a.y)
                if toRow <= toColumn { row += stepDown }
                if !(toRow < toColumn) { column += 1 }
            }
            blacken(column, row)
        }
    }

    private mutating func blacken(_ column: Int, _ row: Int) { bits |= Bitmap.bit(row: row, column: column) }

    private static func cell(_ coordinate: Double) -> Int {
        coordinate > 0 ? Int(min(coordinate, Double(Bitmap.side - 1))) : 0
    }
}
