import Pipeline

/// A picture of eight by eight cells, each white or black: the shape of a gesture without its order.
public struct Bitmap: Payload, Hashable {
    public static let kind: Kind = "bitmap"

    /// How many cells a side has.
    public static let side = 8

    /// The cells row by row from the top left, which is the highest bit; a black cell is 1.
    public var bits: UInt64

    /// When what was drawn began.
    public var start: Timestamp

    /// When it ended.
    public var end: Timestamp

    /// What it is meant to be, if that is known.
    public var label: String?

    /// What it was made from.
    public var subject: Subject?

    /// Makes a bitmap.
    public init(
        bits: UInt64, start: Timestamp = .zero, end: Timestamp = .zero, label: String? = nil, subject: Subject? = nil
    ) {
        self.bits = bits
        self.start = start
        self.end = end
        self.label = label
        self.subject = subject
    }

    /// Whether a cell is black. Rows count from the top, columns from the left; there is nothing outside.
    public subscript(row row: Int, column column: Int) -> Bool {
        guard (0..<Self.side).contains(row), (0..<Self.side).contains(column) else { return false }
        return bits & Self.bit(row: row, column: column) != 0
    }

    /// How many cells are black.
    public var blackCells: Int { bits.nonzeroBitCount }

    /// The bit of a cell of the grid.
    static func bit(row: Int, column: Int) -> UInt64 { 1 << UInt64(63 - (side * row + column)) }
}
