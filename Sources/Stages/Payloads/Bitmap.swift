import Pipeline

/// A bitmap of 8×8 cells, each white or black: the shape of a gesture without its drawing order.
public struct Bitmap: Payload, Hashable {
    public static let kind: Kind = "bitmap"

    /// The number of cells per side.
    public static let side = 8

    /// The cells in row order from the top left cell, which is the highest bit. A black cell is 1.
    public var bits: UInt64

    /// The time at which the gesture began.
    public var start: Timestamp

    /// The time at which the gesture ended.
    public var end: Timestamp

    /// The class that the gesture is meant to be, if known.
    public var label: String?

    /// The payload that the bitmap was created from.
    public var subject: Subject?

    /// Creates a bitmap.
    public init(
        bits: UInt64, start: Timestamp = .zero, end: Timestamp = .zero, label: String? = nil, subject: Subject? = nil
    ) {
        self.bits = bits
        self.start = start
        self.end = end
        self.label = label
        self.subject = subject
    }

    /// Whether a cell is black. Rows count from the top, columns from the left. Cells outside are white.
    public subscript(row row: Int, column column: Int) -> Bool {
        guard (0..<Self.side).contains(row), (0..<Self.side).contains(column) else { return false }
        return bits & Self.bit(row: row, column: column) != 0
    }

    /// The number of black cells.
    public var blackCells: Int { bits.nonzeroBitCount }

    /// Returns the bit of a cell.
    static func bit(row: Int, column: Int) -> UInt64 { 1 << UInt64(63 - (side * row + column)) }
}
