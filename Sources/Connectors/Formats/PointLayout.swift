/// The positions of x, y and the other slots in a flat list that contains the numbers of several points.
struct PointLayout: Hashable, Sendable {
    /// The order of the numbers of several points.
    enum Order {
        /// All numbers of the first point, then all numbers of the second, and so on.
        case rows
        /// The first number of all points, then the second number of all points, and so on.
        case columns
    }

    /// The order of the numbers of several points.
    var order = Order.rows

    /// The position of each slot within a point; −1 for a slot that the layout does not contain.
    private var places = SIMD8<Int8>(repeating: -1)

    /// The number of numbers per point.
    private(set) var width = 0

    /// Creates a layout without numbers.
    init() {}

    /// Creates a layout with these slots, in order.
    init(_ slots: [PointFields.Slot]) { for slot in slots { add(slot) } }

    /// Appends a number to the layout; `nil` for a number without a meaning.
    mutating func add(_ slot: PointFields.Slot?) {
        if let slot { places[slot.rawValue] = Int8(truncatingIfNeeded: width) }
        width += 1
    }

    /// The position of a slot within a point; −1 if the layout does not contain it.
    @inline(__always)
    subscript(slot: PointFields.Slot) -> Int { Int(places[slot.rawValue]) }

    /// The distance in the list between the same slot of consecutive points.
    var step: Int { order == .rows ? width : 1 }

    /// Returns the index of the first point's number for a slot, in a list of `count` points. Returns a negative number if the
    /// layout does not contain the slot.
    @inline(__always)
    func start(of slot: PointFields.Slot, _ count: Int) -> Int { order == .rows ? self[slot] : self[slot] * count }

    /// Returns whether the layout contains a slot.
    func contains(_ slot: PointFields.Slot) -> Bool { places[slot.rawValue] >= 0 }

    /// The slots that the layout contains.
    var slots: [PointFields.Slot] { PointFields.Slot.allCases.filter(contains) }
}
