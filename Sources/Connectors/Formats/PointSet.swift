import Pipeline
import Stages

/// A list of points, as read from a message.
struct PointList: Sendable {
    /// The numbers of all points, in the order of `layout`.
    private(set) var numbers: [Double] = []
    /// The positions of the numbers in `numbers`.
    private(set) var layout = PointLayout()
    /// Whether the confidences are visibilities, of which 0 everywhere means that none was measured.
    var hasVisibility = false

    /// The number of points.
    var count: Int { layout.width == 0 ? 0 : numbers.count / layout.width }

    /// Removes the points.
    mutating func forget() {
        numbers.removeAll(keepingCapacity: true)
        (layout, hasVisibility) = (PointLayout(), false)
    }

    /// Adds points.
    ///
    /// - Parameters:
    ///   - rows: The numbers of all points. Their memory is taken over without a copy if the list is empty, so the contents are
    ///     undefined afterward.
    ///   - layout: The positions of the numbers in `rows`.
    /// - Throws: A frame error (`decode.missing`) if the earlier points have other slots.
    mutating func take(_ rows: inout [Double], _ layout: PointLayout) throws(PipelineError) {
        if numbers.isEmpty {
            swap(&numbers, &rows)
            self.layout = layout
        } else if layout == self.layout, layout.order == .rows {
            numbers.append(contentsOf: rows)
        } else {
            let count = rows.count / layout.width
            let starts = layout.slots.map { ($0, layout.start(of: $0, count)) }
            for index in 0..<count {
                var point = ObjectPoint()
                for (slot, start) in starts { point.take(rows[start + index * layout.step], slot) }
                try append(point)
            }
        }
    }

    /// Adds a point.
    ///
    /// - Throws: A frame error (`decode.missing`) if the earlier points have other slots.
    mutating func append(_ point: ObjectPoint) throws(PipelineError) {
        if numbers.isEmpty { layout = PointLayout(PointFields.Slot.allCases.filter(point.layout.contains)) }
        if layout.order == .columns { convertToRows() }
        for slot in PointFields.Slot.allCases where layout.contains(slot) != point.layout.contains(slot) {
            throw .frame(
                "decode.missing", "only some of the points have \(slot.described)",
                help: "send it for every point, or for none")
        }
        if point.hasVisibility { hasVisibility = true }
        let start = numbers.count
        numbers.append(contentsOf: repeatElement(0, count: layout.width))
        for slot in layout.slots { numbers[start + layout[slot]] = point[slot] }
    }

    /// Changes the order of the numbers from columns to rows.
    private mutating func convertToRows() {
        let count = count
        numbers = (0..<count).flatMap { row in (0..<layout.width).map { numbers[$0 * count + row] } }
        layout.order = .rows
    }

    /// The numbers of a slot for all points; empty if the points do not have the slot.
    private subscript(slot: PointFields.Slot) -> [Double] {
        guard layout.contains(slot) else { return [] }
        let start = layout.start(of: slot, count)
        return (0..<count).map { numbers[start + $0 * layout.step] }
    }

    /// The time of the first point; `nil` if there are no points, 0 if they have no times.
    var firstTime: Double? { numbers.isEmpty ? nil : layout.contains(.t) ? numbers[layout.start(of: .t, count)] : 0 }

    /// The sender's confidence in each point; empty if the sender gives none.
    var confidences: [Double] {
        let confidences = self[.c]
        return hasVisibility && confidences.allSatisfy { $0 == 0 } ? [] : confidences
    }

    /// Whether the confidence of every point is 0 or less, so that nothing was detected. OpenPose writes such points if there is no
    /// hand.
    var isUndetected: Bool {
        layout.contains(.c) && !hasVisibility && !numbers.isEmpty && self[.c].allSatisfy { $0 <= 0 }
    }
}

/// A set of points in a message: a hand, a body or a stroke. It is reused from one message to the next.
struct PointSet: Sendable {
    /// Identifies the element of `[*]` that contains the set. All parts of one set have the same key.
    var key = 0
    /// The field that contained the points.
    var field = MessageField.points
    /// Whether the message has the points of the set, and not only other values of the set.
    var isThere = false
    /// The points of the set, in the coordinates of the image or the pen.
    var seen = PointList()
    /// The same points in meters.
    var world = PointList()
    var confidences: [Double] = []
    /// The numbers of the points, until their meaning is known.
    var flat: [Double] = []
    /// The length of the lists that contained `flat`, one for each point. 0 for one list with the numbers of all points.
    var flatWidth = 0
    var layout: PointFields?
    var handedness: String?
    var handednessScore: Double?
    var score: Double?
    var presence: Double?
    var track: Int?
    var topology: String?
    var space: String?
    var doubt: String?
    var label: String?

    /// Resets all values for another set.
    mutating func reset(key: Int, field: MessageField) {
        self.key = key
        self.field = field
        forgetPoints()
        world.forget()
        confidences.removeAll(keepingCapacity: true)
        layout = nil
        (handedness, handednessScore, score, presence, track) = (nil, nil, nil, nil, nil)
        (topology, space, doubt, label) = (nil, nil, nil, nil)
    }

    /// Removes the points.
    mutating func forgetPoints() {
        isThere = false
        seen.forget()
        flat.removeAll(keepingCapacity: true)
        flatWidth = 0
    }

    /// Takes over the values that the set does not have from a set that stands for an enclosing value.
    mutating func inherit(from other: PointSet) {
        if confidences.isEmpty { confidences = other.confidences }
        layout = layout ?? other.layout
        handedness = handedness ?? other.handedness
        handednessScore = handednessScore ?? other.handednessScore
        score = score ?? other.score
        presence = presence ?? other.presence
        topology = topology ?? other.topology
        space = space ?? other.space
        doubt = doubt ?? other.doubt
        label = label ?? other.label
    }
}

/// A reference to one of the lists of points in a message.
struct PointListReference {
    /// The index of the set.
    let set: Int
    /// Whether it is the list in meters.
    let isWorld: Bool
}
