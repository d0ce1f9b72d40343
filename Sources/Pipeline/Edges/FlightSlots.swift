/// The slots of an edge: which frames hold one, and for how long. Pure state, and the time is given.
struct FlightSlots {
    /// A frame handed over and not finished, or several of one input.
    private struct Flight {
        let number: Int
        let stream: StreamID
        let releasedAt: Int64
        /// Whether more frames of its input may come: its credit comes behind them.
        var isOpen = true
        /// How many of its credits stand behind what is worked on, and behind what waits where edges come together.
        var working = 0
        var waiting = 0

        var isWaiting: Bool { !isOpen && working == 0 && waiting > 0 }
        var isFinished: Bool { !isOpen && working == 0 && waiting == 0 }
    }

    /// How many frames of a stream may wait where edges come together: one more than there is room for, which tells that place that
    /// there are as many.
    let room: Int

    /// Who is told what becomes of credits.
    weak var owner: (any CreditOwner)?

    /// How many frames were no longer counted because they took longer than the time-out.
    private(set) var timedOut: Int64 = 0

    private let count: Int
    private let timeout: Int64?
    private var flights: [Flight] = []
    /// How many of them hold a slot.
    private var busy = 0
    private var numbers = 0

    /// - Parameter policy: The edge's policy; without `inFlight` there is one slot.
    init(_ policy: EdgePolicy) {
        count = max(1, policy.inFlight ?? 1)
        room = max(LanePlace.room, policy.capacity) + 1
        timeout = policy.timeoutMs.map { Int64(min($0, 9e9) * 1_000_000) }
    }

    /// Whether one is free.
    var isFree: Bool { busy < count }

    /// Frames handed over and not finished.
    var unfinished: Int { flights.count }

    /// When the next unfinished frame stops counting.
    var nextDeadline: Int64? {
        timeout.flatMap { timeout in flights.lazy.filter { !$0.isWaiting }.map { $0.releasedAt + timeout }.min() }
    }

    /// Whether a stream has one of whose input more frames may come.
    func isOpen(_ stream: StreamID) -> Bool { flights.contains { $0.isOpen && $0.stream == stream } }

    /// Whether as many frames of a stream wait where edges come together as may.
    func hasEnoughWaiting(_ stream: StreamID) -> Bool {
        guard flights.count - busy >= room else { return false }
        return flights.count { $0.stream == stream && $0.isWaiting } >= room
    }

    /// Gives one to a frame that is handed over.
    mutating func begin(_ stream: StreamID, _ now: Int64) {
        busy += 1
        numbers += 1
        flights.append(Flight(number: numbers, stream: stream, releasedAt: now))
    }

    /// No more frames come of a stream's input. Returns the credit that goes behind those that have; `nil` when there is none of which
    /// more might have come.
    mutating func close(_ stream: StreamID) -> Credit? {
        guard let index = flights.firstIndex(where: { $0.isOpen && $0.stream == stream }) else { return nil }
        flights[index].isOpen = false
        flights[index].working = 1
        return Credit(flights[index].number, of: owner)
    }

    /// Something became of a credit. Returns whether its slot had not been given back before.
    mutating func change(_ number: Int, _ change: Credit.Change) -> Bool {
        guard let index = flights.firstIndex(where: { $0.number == number }) else { return false }
        switch change {
        case .divided: flights[index].working += 1
        case .ended: flights[index].working -= 1
        case .waits:
            flights[index].working -= 1
            flights[index].waiting += 1
        // Even if there are then more than there should be.
        case .goesOn:
            flights[index].working += 1
            flights[index].waiting -= 1
        }
        if flights[index].isFinished { flights.remove(at: index) }
        busy = flights.count { !$0.isWaiting }
        return true
    }

    /// Takes back those that are held for too long. Returns whether there were such.
    mutating func expire(_ now: Int64) -> Bool {
        guard let timeout, !flights.isEmpty else { return false }
        let before = flights.count
        // One that only waits holds no slot that it could give back.
        flights.removeAll { now - $0.releasedAt >= timeout && !$0.isWaiting }
        busy -= before - flights.count
        timedOut += Int64(before - flights.count)
        return flights.count < before
    }

    /// Takes all back.
    mutating func giveBackAll() { (flights, busy) = ([], 0) }
}
