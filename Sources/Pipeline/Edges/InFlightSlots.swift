/// The slots of an edge with `in_flight: n`: at most n frames hold a slot at a time. Tracks which frames hold a slot, and for how
/// long. A pure state machine; the caller supplies the time. If it goes back, a timeout is only noticed later.
///
/// The work does not depend on the number of frames that wait in merges and joins, which hold no slot.
struct InFlightSlots {
    /// A frame that was released and is not finished, or several frames of one input that share a slot.
    private struct Flight {
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
        var holdsSlot: Bool { !isWaiting && !isFinished }
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
    /// The flights that are not finished, by number.
    private var flights: [Int: Flight] = [:]
    /// The number of each stream's open flight.
    private var open: [StreamID: Int] = [:]
    /// For each stream, the number of flights that wait in merges and joins, and hold no slot.
    private var waiting: [StreamID: Int] = [:]
    /// The numbers of the flights that hold a slot, in the order of release.
    private var busy: [Int] = []
    private var numbers = 0

    /// - Parameter policy: The edge's policy. Without `inFlight`, there is one slot.
    init(_ policy: EdgePolicy) {
        count = max(1, policy.inFlight ?? 1)
        room = policy.roomInJoin + 1
        timeout = policy.timeoutMs.map { Int64(min($0, 9e9) * 1_000_000) }
    }

    /// Whether a slot is free.
    var isFree: Bool { busy.count < count }

    /// The number of flights that are not finished.
    var unfinished: Int { flights.count }

    /// The time at which the next frame in flight times out; `nil` if none will.
    var nextDeadline: Int64? {
        guard let timeout, let first = busy.first, let flight = flights[first] else { return nil }
        return flight.releasedAt + timeout
    }

    /// Returns whether the stream has a flight to which more frames of the same input may be added.
    func isOpen(_ stream: StreamID) -> Bool { open[stream] != nil }

    /// Returns whether as many frames of a stream wait in merges and joins as ``room`` allows.
    func hasEnoughWaiting(_ stream: StreamID) -> Bool {
        flights.count - busy.count >= room && (waiting[stream] ?? 0) >= room
    }

    /// Gives a slot to a frame, which is now in flight. No flight of its stream may be open.
    mutating func begin(_ stream: StreamID, _ now: Int64) {
        numbers += 1
        flights[numbers] = Flight(stream: stream, releasedAt: now)
        open[stream] = numbers
        busy.append(numbers)
    }

    /// Records that no more frames of a stream's input follow. Returns the credit to send after its frames; `nil` if no flight of
    /// the stream is open.
    mutating func close(_ stream: StreamID) -> Credit? {
        guard let number = open.removeValue(forKey: stream) else { return nil }
        flights[number]?.isOpen = false
        flights[number]?.working = 1
        return Credit(number, of: owner)
    }

    /// Applies a change of a credit. Returns whether its flight still existed.
    mutating func change(_ number: Int, _ change: Credit.Change) -> Bool {
        guard let before = flights[number] else { return false }
        var flight = before
        switch change {
        case .divided: flight.working += 1
        case .ended: flight.working -= 1
        case .waits:
            flight.working -= 1
            flight.waiting += 1
        // The flight holds a slot again, even if the number of flights with a slot then exceeds the number of slots.
        case .goesOn:
            flight.working += 1
            flight.waiting -= 1
        }
        flights[number] = flight.isFinished ? nil : flight
        if flight.isWaiting != before.isWaiting {
            let others = (waiting[flight.stream] ?? 0) - (before.isWaiting ? 1 : 0)
            waiting[flight.stream] = flight.isWaiting ? others + 1 : others == 0 ? nil : others
        }
        if flight.holdsSlot != before.holdsSlot {
            let index = busy.firstSortedIndex { $0 >= number }
            if flight.holdsSlot { busy.insert(number, at: index) } else { busy.remove(at: index) }
        }
        return true
    }

    /// Takes back the slots that were held longer than the timeout. Returns whether any slot was taken back. A flight that only
    /// waits holds no slot that could be taken back.
    mutating func expire(_ now: Int64) -> Bool {
        guard let timeout else { return false }
        let overdue = busy.prefix { flights[$0].map { now - $0.releasedAt >= timeout } ?? true }.count
        guard overdue > 0 else { return false }
        for number in busy[..<overdue] {
            guard let flight = flights.removeValue(forKey: number), flight.isOpen else { continue }
            open[flight.stream] = nil
        }
        busy.removeFirst(overdue)
        timedOut += Int64(overdue)
        return true
    }

    /// Takes back all slots.
    mutating func giveBackAll() { (flights, open, waiting, busy) = ([:], [:], [:], []) }
}
