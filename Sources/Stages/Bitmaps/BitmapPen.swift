/// Draws lines on a grid of eight by eight cells.
///
/// A line blackens every cell that it passes through, found by walking from cell to cell (Amanatides, Woo, "A fast voxel traversal algorithm",
/// Eurographics 1987): however far apart its ends are, none is skipped. O(cells passed), at most 15.
struct BitmapPen {
    /// A place on the grid: cell (c, r) reaches from (c, r) to (c + 1, r + 1). What lies outside counts as the nearest cell.
    struct Place {
        var x: Double
        var y: Double
    }

    /// The cells that are black, as in ``Bitmap/bits``.
    private(set) var bits: UInt64 = 0

    /// Blackens the cell of a place.
    mutating func dot(_ place: Place) { blacken(Self.cell(place.x), Self.cell(place.y)) }

    /// Blackens every cell between two places.
    mutating func line(from start: Place, to end: Place) {
        // Always walked from the same end, so that rounding does not make a line drawn backwards pass other cells.
        let isForward = start.x < end.x || (start.x == end.x && start.y <= end.y)
        let (a, b) = isForward ? (start, end) : (end, start)
        var (column, row) = (Self.cell(a.x), Self.cell(a.y))
        let (lastColumn, lastRow) = (Self.cell(b.x), Self.cell(b.y))
        blacken(column, row)
        let stepDown = lastRow > row ? 1 : -1
        // Every turn of the loop comes a cell nearer.
        while column < lastColumn || row != lastRow {
            if row == lastRow {
                column += 1
            } else if column >= lastColumn {
                row += stepDown
            } else {
                // How far along the line the next column begins, and the next row. Through a corner it goes straight.
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
