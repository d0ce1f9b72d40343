import Pipeline

/// Finds gestures in one movement while it continues: divides it into steps, finds candidates where templates end, verifies them,
/// and keeps the best of those that overlap.
///
/// A gesture is due at most ``Limits/maxDelayUs`` after its last step. Before the caller adds a position, it must take the gestures
/// that are due before the time of that position.
struct Spotter: Sendable {
    /// The limits for steps and gestures: lengths in the unit of the coordinates, the delay in microseconds.
    struct Limits: Sendable {
        var step: Double
        var minLength: Double
        var maxDistance: Double
        var maxDelayUs: Int64
    }

    /// The corrected mean cost below which the end of a template is a candidate.
    private static let candidateThreshold = 0.15
    /// The number of steps by which refinement first moves the ends of a candidate to find a better fit. This number is then halved
    /// until it is 0.
    private static let refinement = 2
    /// A candidate whose distance is more than this factor times the largest distance is not refined.
    private static let refinable = 1.6

    private let library: SpotLibrary
    private let limits: Limits
    private var path = SpotPath()
    private var tracker: SpotTracker
    private var verifier: SpotVerifier
    private var ended: [(template: Int, ending: SpotTracker.Ending)] = []
    private var pending: [SpottedGesture] = []
    /// The gestures emitted last. A found gesture that overlaps one of them comes from the same movement.
    private var emitted: [SpottedGesture] = []
    private var isResting = true

    init(_ library: SpotLibrary, _ limits: Limits, minDuration: Double) {
        self.library = library
        self.limits = limits
        tracker = SpotTracker(library.templates, minDuration: minDuration)
        verifier = SpotVerifier(library)
    }

    /// The next time at which a gesture may be due, in microseconds; `nil` if there is none.
    var nextDue: Int64? {
        var due = Int64.max
        for gesture in pending { due = min(due, gesture.due) }
        if let restDue { due = min(due, restDue) }
        return due == .max ? nil : due
    }

    /// The time at which the movement counts as ended unless another step comes, in microseconds; `nil` if it is at rest.
    private var restDue: Int64? {
        isResting ? nil : path.last.map { $0.time.addingSaturated(limits.maxDelayUs) }
    }

    /// Whether no found gesture is waiting to be emitted, and none can be in progress.
    var isIdle: Bool { pending.isEmpty && isResting }

    /// The timestamp of the first frame that may be part of a gesture that was not emitted yet. A gesture in progress began at a
    /// position that is still in the path.
    var firstFrame: Timestamp? {
        var first = path.firstFrame
        for gesture in pending where gesture.frame < first ?? .never { first = gesture.frame }
        return first
    }

    /// Adds the next position of the pointer, from the frame with a timestamp.
    ///
    /// - Complexity: O(corners of the library) for a step, and O(samples of the library) for each of the few candidates.
    mutating func add(_ point: SpotPoint, of frame: Timestamp) {
        guard let last = path.last else { return path.append(point, of: frame) }
        let length = last.distance(to: point)
        guard length >= limits.step, length > 0 else { return }
        path.append(point, of: frame)
        isResting = false
        ended.removeAll(keepingCapacity: true)
        tracker.step(path, threshold: Self.candidateThreshold, ended: &ended)
        verifyEnded()
    }

    /// Removes and returns the next gesture that is due by a time, in the order found; `nil` if there is none. A movement counts as
    /// ended once the pointer has been at rest for ``Limits/maxDelayUs``.
    mutating func next(dueBy time: Int64) -> SpottedGesture? {
        // A gesture that is due before the rest comes first, so that it makes no difference how often the caller asks.
        if let restDue, restDue <= time, !pending.contains(where: { $0.due < restDue }) { rest() }
        guard let index = pending.firstIndex(where: { $0.due <= time }) else { return nil }
        let gesture = pending.remove(at: index)
        if emitted.count == 4 { emitted.removeFirst() }
        emitted.append(gesture)
        return gesture
    }

    /// Ends the movement, without waiting for ``Limits/maxDelayUs``.
    mutating func end() {
        if !isResting { rest() }
    }

    /// Starts over with another movement.
    mutating func reset() {
        path.reset()
        tracker.reset()
        pending.removeAll(keepingCapacity: true)
        emitted.removeAll(keepingCapacity: true)
        isResting = true
    }

    /// Returns the path of a gesture that was just emitted.
    func points(of gesture: SpottedGesture) -> [SpotPoint] {
        gesture.range.filter { path.holds($0) }.map { path[$0] }
    }

    /// Returns the distances between a gesture that was just emitted and every gesture of the library.
    mutating func distances(of gesture: SpottedGesture) -> [Double] {
        guard path.holds(gesture.range.lowerBound) else {
            return library.categories.indices.map { $0 == gesture.category ? gesture.distance : .infinity }
        }
        // The deviation of the movement from the template is added to all distances.
        let deviation = gesture.distance - verifier.nearest(path, gesture.range).distance
        return verifier.distances.map { $0 + deviation }
    }

    private mutating func rest() {
        isResting = true
        ended.removeAll(keepingCapacity: true)
        tracker.rest(threshold: Self.candidateThreshold, ended: &ended)
        verifyEnded()
    }

    private mutating func verifyEnded() {
        for index in ended.indices {
            let (template, ending) = ended[index]
            verify(ending, library.templates[template].category)
        }
    }

    /// Adds a candidate to the pending gestures if verification finds the same gesture nearest, and no pending gesture that
    /// overlaps it is better.
    private mutating func verify(_ ending: SpotTracker.Ending, _ category: Int) {
        guard path.holds(ending.start), ending.score <= limits.maxDistance else { return }
        var range = ending.start...ending.end
        var (found, distance) = verifier.nearest(path, range)
        guard distance <= limits.maxDistance * Self.refinable else { return }
        refine(&range, &found, &distance)
        distance += ending.score
        guard found == category, distance <= limits.maxDistance, length(range) >= limits.minLength else { return }
        let due = path[ending.end].time.addingSaturated(limits.maxDelayUs)
        let gesture = SpottedGesture(
            category: category, range: range, distance: distance, frame: path.frame(range.lowerBound),
            start: path[range.lowerBound].time, end: path[range.upperBound].time, due: due)
        guard !emitted.contains(where: { $0.excludes(gesture) }),
            !pending.contains(where: { $0.overlaps(gesture) && $0.distance <= distance })
        else { return }
        pending.removeAll { $0.overlaps(gesture) }
        pending.append(gesture)
    }

    /// Moves the ends of a candidate to the best fit.
    private mutating func refine(_ range: inout ClosedRange<Int>, _ category: inout Int, _ distance: inout Double) {
        var step = Self.refinement
        while step > 0 {
            for move in 0..<3 {
                let lower = range.lowerBound + (move == 0 ? -step : move == 1 ? step : 0)
                let upper = range.upperBound - (move == 2 ? step : 0)
                guard path.holds(lower), upper - lower > 3 else { continue }
                let other = verifier.nearest(path, lower...upper)
                guard other.distance < distance else { continue }
                (category, distance, range) = (other.category, other.distance, lower...upper)
            }
            step /= 2
        }
    }

    private func length(_ range: ClosedRange<Int>) -> Double {
        var (sum, number) = (0.0, range.lowerBound)
        while number < range.upperBound {
            sum += path[number].distance(to: path[number + 1])
            number += 1
        }
        return sum
    }
}
