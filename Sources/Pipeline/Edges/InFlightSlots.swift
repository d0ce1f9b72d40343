/// The slots of an edge with `in_flight: n`: at most n frames hold a slot at a time. Tracks which frames hold a slot, and for how
/// long. A pure state machine; the caller supplies the time.
struct InFlightSlots {
    /// A frame that was released and is not finished, or several frames of one input that share a slot.
    private struct Flight {
        let number: Int
        let stream: StreamID
        let releasedAt: Int64
        /// Whether more frames of the same input may follow. The credit is sent after the last of them.
        var isOpen = true
        /// The number of the flight's credits that follow frames being processed.
        var working = 0
        /// The number of the flight's credits that follow frames waiting in a merge or join.
        var waiting = 0

        var isWaiting: Bool { !isOpen && working == 0 && waiting > 0 }
        var isFinished: Bool { !isOpen && working == 0 && waiting == 0 }
    }

    /// The number of frames of a stream that may wait in merges and joins downstream: one more than a merge or join has room for.
    /// By this frame, it notices that it is full.
    let room: Int

    /// The edge, which is notified about changes of credits.
    weak var owner: (any CreditOwner)?

    /// The number of frames that timed out: they no longer count as in flight, because they took longer than the timeout.
    private(set) var timedOut: Int64 = 0

    private let count: Int
    private let timeout: Int64?
    private var flights: [Flight] = []
    /// The number of flights that hold a slot.
    private var busy = 0
    private var numbers = 0

    /// - Parameter policy: The edge's policy. Without `inFlight`, there is one slot.
    init(_ policy: EdgePolicy) {
        count = max(1, policy.inFlight ?? 1)
        room = policy.roomInJoin + 1
        timeout = policy.timeoutMs.map { Int64(min($0, 9e9) * 1_000_000) }
    }

    /// Whether a slot is free.
    var isFree: Bool { busy < count }

    /// The number of flights that are not finished.
    var unfinished: Int { flights.count }

    /// The time at which the next frame in flight times out; `nil` if none will.
    var nextDeadline: Int64? {
        timeout.flatMap { timeout in flights.lazy.filter { !$0.isWaiting }.map { $0.releasedAt + timeout }.min() }
    }

    /// Returns whether the stream has a flight to which more frames of the same input may be added.
    func isOpen(_ stream: StreamID) -> Bool { flights.contains { $0.isOpen && $0.stream == stream } }

    /// Returns whether as many frames of a stream wait in merges and joins as ``room`` allows.
    func hasEnoughWaiting(_ stream: StreamID) -> Bool {
        guard flights.count - busy >= room else { return false }
        return flights.count { $0.stream == stream && $0.isWaiting } >= room
    }

    /// Gives a slot to a frame, which is now in flight.
    mutating func begin(_ stream: StreamID, _ now: Int64) {
        busy += 1
        numbers += 1
        flights.append(Flight(number: numbers, stream: stream, releasedAt: now))
    }

    /// Records that no more frames of a stream's input follow. Returns the credit to send after its frames; `nil` if no flight of
    /// the stream is open.
    mutating func close(_ stream: StreamID) -> Credit? {
        guard let index = flights.firstIndex(where: { $0.isOpen && $0.stream == stream }) else { return nil }
        flights[index].isOpen = false
        flights[index].working = 1
        return Credit(flights[index].number, of: owner)
    }

    /// Applies a change of a credit. Returns whether its flight still existed.
    mutating func change(_ number: Int, _ change: Credit.Change) -> Bool {
        guard let index = flights.firstIndex(where: { $0.number == number }) else { return false }
        switch change {
        case .divided: flights[index].working += 1
        case .ended: flights[index].working -= 1
        case .waits:
            flights[index].working -= 1
            flights[index].waiting += 1
        // The flight holds a slot again, even if the number of flights with a slot then exceeds the number of slots.
        case .goesOn:
            flights[index].working += 1
            flights[index].waiting -= 1
        }
        if flights[index].isFinished { flights.remove(at: index) }
        busy = flights.count { !$0.isWaiting }
        return true
    }

    /// Takes back the slots that were held longer than the timeout. Returns whether any slot was taken back.
    mutating func expire(_ now: Int64) -> Bool {
        guard let timeout, !flights.isEmpty else { return false }
        let before = flights.count
        // A flight that only waits holds no slot that could be taken back.
        flights.removeAll { now - $0.releasedAt >= timeout && !$0.isWaiting }
        busy -= before - flights.count
        timedOut += Int64(before - flights.count)
        return flights.count < before
    }

    /// Takes back all slots.
    mutating func giveBackAll() { (flights, busy) = ([], 0) }
}
