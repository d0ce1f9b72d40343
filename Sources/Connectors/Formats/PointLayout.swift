/// Where the numbers of a point are among its numbers in a row.
struct PointLayout: Hashable, Sendable {
    /// How the numbers of several points follow each other.
    enum Order {
        /// All numbers of a point, then those of the next.
        case rows
        /// The numbers of one slot of all points, then those of the next.
        case columns
    }

    /// How the numbers of several points follow each other.
    var order = Order.rows

    /// The position of the number of each slot; −1 for those that are not there.
    private var places = SIMD8<Int8>(repeating: -1)

    /// The number of numbers in a row.
    private(set) var width = 0

    /// A row without numbers.
    init() {}

    /// A row of these, in order.
    init(_ slots: [PointFields.Slot]) { for slot in slots { add(slot) } }

    /// Adds a number to the row; `nil` for one that nothing needs.
    mutating func add(_ slot: PointFields.Slot?) {
        if let slot { places[slot.rawValue] = Int8(truncatingIfNeeded: width) }
        width += 1
    }

    /// The position of a slot; −1 when it is not there.
    @inline(__always)
    subscript(slot: PointFields.Slot) -> Int { Int(places[slot.rawValue]) }

    /// The distance from a number of a point to the same of the next.
    var step: Int { order == .rows ? width : 1 }

    /// The position of the number of a slot among all numbers of `count` points, in the first; negative when it is not there.
    @inline(__always)
    func start(of slot: PointFields.Slot, _ count: Int) -> Int { order == .rows ? self[slot] : self[slot] * count }

    /// Whether a slot is there.
    func contains(_ slot: PointFields.Slot) -> Bool { places[slot.rawValue] >= 0 }

    /// The slots that are there.
    var slots: [PointFields.Slot] { PointFields.Slot.allCases.filter(contains) }
}
