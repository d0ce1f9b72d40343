import Pipeline

/// Rows of text in columns as wide as they need to be.
struct Table {
    /// To which side a column's cells are pushed.
    enum Alignment { case left, right }

    /// The columns: heading and alignment.
    let columns: [(heading: String, alignment: Alignment)]
    /// The cells, row by row.
    private(set) var rows: [[String]] = []

    /// Starts a table.
    init(_ columns: [(heading: String, alignment: Alignment)]) { self.columns = columns }

    /// Adds a row; missing cells are empty. What names in it hold neither ends the line nor speaks to the terminal.
    mutating func add(_ cells: [String]) { rows.append(cells.map(\.shown)) }

    /// The table, two spaces between columns, no spaces at the ends of lines.
    func text(_ style: Style = .plain, indent: Int = 0) -> String {
        let lines = [columns.map(\.heading)] + rows
        let widths = columns.indices.map { index in
            lines.map { index < $0.count ? $0[index].count : 0 }.max() ?? 0
        }
        var text = ""
        for (number, cells) in lines.enumerated() {
            var line = String(repeating: " ", count: indent)
            for (index, column) in columns.enumerated() {
                let cell = index < cells.count ? cells[index] : ""
                let padding = String(repeating: " ", count: widths[index] - cell.count)
                line += column.alignment == .left ? cell + padding : padding + cell
                line += "  "
            }
            while line.last == " " { line.removeLast() }
            text += (number == 0 ? style.strong(line) : line) + "\n"
        }
        return text
    }
}
