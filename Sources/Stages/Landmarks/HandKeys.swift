/// The keys that tell the hands of one frame apart, for stages that keep a state for every hand.
struct HandKeys: Sendable {
    /// The keys of the frame's hands so far.
    private(set) var all: [Int] = []

    /// Starts a new frame.
    mutating func begin() { all.removeAll(keepingCapacity: true) }

    /// Returns the key of the frame's next hand: its track, or a negative number for its index if its track is missing, negative, or
    /// the same as that of an earlier hand of the frame.
    mutating func add(_ track: Int?) -> Int {
        var key = -1 - all.count
        if let track, track >= 0, !all.contains(track) { key = track }
        all.append(key)
        return key
    }
}
