/// What an aligned input knows of its lanes, whatever the stream.
struct AlignmentLanes {
    /// The bound that each lane has announced for all its streams.
    var bounds: [Timestamp]

    /// Which lanes bring nothing any more.
    var ended: [Bool]

    /// Which have been silent for too long to hold others back.
    var idle: [Bool]

    /// How many frames (and items of streams that began anew) wait in each lane.
    var held: [Int]

    /// How many frames became part of a set.
    var used = 0

    init(count: Int) {
        bounds = Array(repeating: .beforeAll, count: count)
        ended = Array(repeating: false, count: count)
        idle = Array(repeating: false, count: count)
        held = Array(repeating: 0, count: count)
    }

    /// Whether no lane waits for this one. When all are idle, nobody is waiting for anybody: nothing is settled then. A lane
    /// that has ended is not idle, and what it brought still waits for the others.
    func countsAsEnded(_ lane: Int) -> Bool {
        if ended[lane] { return true }
        guard idle[lane] else { return false }
        return idle.indices.contains { !idle[$0] || ended[$0] }
    }
}
