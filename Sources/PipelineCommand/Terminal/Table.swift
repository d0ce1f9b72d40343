import Pipeline

/// A table of text. Each column is as wide as its widest cell.
struct Table {
    /// The alignment of a column's cells.
    enum Alignment { case left, right }

    /// The heading and alignment of each column.
    let columns: [(heading: String, alignment: Alignment)]
    /// The cells, row by row.
    private(set) var rows: [[String]] = []

    /// Creates an empty table.
    init(_ columns: [(heading: String, alignment: Alignment)]) { self.columns = columns }

    /// Adds a row; missing cells are empty. Control characters in cells are escaped, so that they can neither end the line nor
    /// control the terminal.
    mutating func add(_ cells: [String]) { rows.append(cells.map(\.shown)) }

    /// Returns the table, with two spaces between columns and no trailing spaces.
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
