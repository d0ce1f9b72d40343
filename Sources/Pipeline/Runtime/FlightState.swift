/// An edge that hands a frame over only while fewer than `in_flight` of its frames are unfinished, as a pure state
/// machine: no lock, no waiting, no tasks, and the time is given.
///
/// Frames that find no free slot wait in line, each stream in its own of at most `capacity`. A free slot goes to the
/// stream whose turn has waited longest; a newer frame takes the turn of the one it replaces, so that no stream starves
/// however fast the others are. A drop is decided only after slots have been filled, so that nothing is dropped while one
/// is free.
///
/// What comes of a stream between two of its bounds was made of one input, by a stage that makes several frames: those hold
/// one slot together, which is free when the last of them is finished. (Nothing could tell the edge that the first is, before
/// the last has come.)
///
/// A frame is finished when each of the `reporters` (the sinks behind the edge) has said that the time of its stream has
/// come to the frame's; of a stream that was renamed, when they have said so of the receipt behind it. While it only waits
/// where edges come together, for what another edge brings, it holds no slot: that other frame may itself be waiting for
/// one. Of each stream at most as many wait so as there is room for, or 64.
/// MediaPipe's flow limiter (flow_limiter_calculator.cc: `max_in_flight`, `max_in_queue`,
/// `in_flight_timeout`) does the same by a back edge of the graph that has to be wired by hand.
struct FlightState<Element: EdgeElement> {
    typealias Item = EdgeItem<Element>
    typealias Offer = EdgeState<Element>.Offer

    /// A frame handed over and not finished, or several of one input.
    private struct Flight {
        let stream: StreamID
        /// Of the last frame.
        var timestamp: Timestamp
        let releasedAt: Int64
        /// The receipt behind it, if it came of a stream of another name.
        var receipt: (stream: StreamID, time: Timestamp)?
        /// The reporters that have not yet seen its time.
        var open: Set<Int>
        /// Whether its stream has ended since: what is reported next of a stream of that name may be of a new one.
        var isBehindEnd = false
        /// Where it waits for what other edges bring.
        var waitsAt: [JoinPoint] = []

        /// When it happened in the time of a stream (or with `nil` of any); `nil` if it is not of that stream.
        func time(in stream: StreamID?) -> Timestamp? {
            if let receipt, receipt.stream == stream { return receipt.time }
            return stream == nil || self.stream == stream ? timestamp : nil
        }

        /// Whether nobody works on it: all that have not seen its time stand behind places where it waits.
        var isWaiting: Bool {
            !waitsAt.isEmpty && open.allSatisfy { end in waitsAt.contains { $0.ends.contains(end) } }
        }
    }

    private typealias Line = FlightLine<Element>

    /// Whom to wake after something changed.
    struct Wakes {
        var consumer = false
        var producer = false
    }

    let policy: EdgePolicy
    private let slots: Int
    /// How many frames of a stream may wait where edges come together.
    private let room: Int
    private let timeout: Int64?
    /// Whether a stage before it may have renamed streams.
    private let isRenamed: Bool
    private var reporters: Set<Int>
    private var lines: [StreamID: Line] = [:]
    /// Whose turn is next: one entry for each frame that waits.
    private var turns: [StreamID] = []
    private var nextTurn = 0
    private var flights: [Flight] = []
    /// How many of them hold a slot.
    private var busy = 0
    private var inputs = OpenInputs()
    /// What has been handed over and not yet taken.
    private var released: [Item] = []
    private var releasedFrames = 0
    private var boundLimit = 64
    /// What is known of all streams waits behind the frames of all.
    private var boundOfAll: Item?
    private var gapsToCome: [StreamID: Int32] = [:]
    private var waitingFrames = 0
    private var consumerWaits = false
    private var producerWaits = false
    private var hasFinished = false
    private(set) var isAbandoned = false

    private(set) var offered: Int64 = 0
    private(set) var taken: Int64 = 0
    private(set) var dropped: [DropReason: Int64] = [:]

    /// How many frames were no longer counted because they took longer than the time-out.
    private(set) var timedOut: Int64 = 0

    /// - Parameters:
    ///   - policy: The edge's policy; without `inFlight` one frame may be unfinished.
    ///   - isRenamed: Whether a stage before it may have renamed streams.
    ///   - reporters: Who says what is finished, by number.
    init(policy: EdgePolicy, isRenamed: Bool = true, reporters: Set<Int> = [0]) {
        self.policy = policy
        self.isRenamed = isRenamed
        slots = max(1, policy.inFlight ?? 1)
        room = max(64, policy.capacity)
        timeout = policy.timeoutMs.map { Int64(min($0, 9e9) * 1_000_000) }
        self.reporters = reporters
    }

    /// Frames that were offered and not yet taken.
    var waiting: Int { waitingFrames + releasedFrames }

    /// Frames handed over and not finished.
    var unfinished: Int { flights.count }

    /// Whether nothing will come out any more.
    var isFinished: Bool { hasFinished && (waitingFrames == 0 || isAbandoned) && released.isEmpty }

    /// When the next unfinished frame stops counting.
    var nextDeadline: Int64? {
        timeout.flatMap { timeout in flights.lazy.filter { !$0.isWaiting }.map { $0.releasedAt + timeout }.min() }
    }

    // MARK: The two ends

    /// Takes items from `cursor` on; moves the cursor behind the last one dealt with. O(1) an item, plus O(capacity) a
    /// drop.
    mutating func offer(_ batch: inout [Item], from cursor: inout Int, now: Int64) -> Offer {
        var result = Offer()
        expire(now)
        while cursor < batch.count {
            switch batch[cursor] {
            case .frame(let frame):
                guard offer(frame, now, &result) else { return wake(result) }
            // Edges with slots carry bounds of every frame instead.
            case .progress: break
            case .bound(nil, _):
                if isAbandoned { break }
                inputs.closeAll()
                if waitingFrames == 0 { release(batch[cursor]) } else { boundOfAll = batch[cursor] }
            case .bound(let stream?, let time):
                inputs.close(stream, upTo: time)
                if !isAbandoned { append(batch[cursor], of: stream) }
            case .end(let stream):
                inputs.close(stream)
                if !isAbandoned { append(batch[cursor], of: stream) }
            case .receipt(let stream, let time):
                if !isAbandoned { append(receipt: stream, time) }
            }
            cursor += 1
        }
        batch.removeAll(keepingCapacity: true)
        cursor = 0
        return wake(result)
    }

    /// Takes what has been handed over; `buffer` must be empty.
    ///
    /// - Returns: Whether a producer waits for room and must be woken.
    @discardableResult
    mutating func take(into buffer: inout [Item]) -> Bool {
        swap(&released, &buffer)
        taken += Int64(releasedFrames)
        releasedFrames = 0
        boundLimit = 64
        consumerWaits = buffer.isEmpty && !isFinished
        return !buffer.isEmpty && wakesProducer()
    }

    /// No more will be offered; what waits will still be handed over.
    mutating func finish() -> Wakes {
        hasFinished = true
        // What a stage makes at the end of a stream has no bound behind it that would say when it is finished.
        for (stream, time) in inputs.streams where !isAbandoned { append(.receipt(stream, time), of: stream) }
        inputs.closeAll()
        return wakes()
    }

    /// Nobody takes from it any more: what waits stays as left, what comes is dropped.
    mutating func abandon() -> Wakes {
        isAbandoned = true
        return wakes()
    }

    /// Everything that is held, for whoever must free it.
    mutating func drain() -> [Item] {
        defer { (released, lines) = ([], [:]) }
        return released + lines.values.flatMap(\.items)
    }

    // MARK: What is finished

    /// A reporter has seen all of a stream (or with `nil` of every stream) up to and including `bound`.
    mutating func finished(_ stream: StreamID?, _ bound: Timestamp, by reporter: Int, now: Int64) -> Wakes {
        // Of a stream that ended and began anew, a bound may be of before. It speaks of what came since only beyond all that came
        // before: the end itself may have gone no further than a stage that renames streams.
        let old = flights.lazy.filter { $0.stream == stream && $0.isBehindEnd }.map(\.timestamp).max()
        return settle(reporter, now) { flight in
            guard let time = flight.time(in: stream), time <= bound else { return false }
            return flight.isBehindEnd || old.map { flight.timestamp > $0 } ?? true
        }
    }

    /// A reporter has seen the end of a stream.
    mutating func ended(_ stream: StreamID, by reporter: Int, now: Int64) -> Wakes {
        settle(reporter, now) { $0.stream == stream && $0.isBehindEnd }
    }

    /// A reporter will report nothing any more.
    mutating func gone(_ reporter: Int, now: Int64) -> Wakes {
        reporters.remove(reporter)
        return settle(reporter, now) { _ in true }
    }

    /// All that came of a stream's frames after one time and up to another has come to where edges come together, and waits
    /// there.
    mutating func waits(_ stream: StreamID, after: Timestamp, upTo time: Timestamp, at point: JoinPoint, now: Int64)
        -> Wakes
    {
        for index in flights.indices {
            let flight = flights[index]
            guard let own = flight.time(in: stream), own > after, own <= time,
                !flight.waitsAt.contains(where: { $0.number == point.number })
            else { continue }
            flights[index].waitsAt.append(point)
        }
        return recount(now)
    }

    /// A stream (or with `nil` every stream) has gone on up to a time from where edges come together: what waited there
    /// holds its slot again, even if there are then more than there should be.
    mutating func goesOn(_ stream: StreamID?, upTo time: Timestamp, from point: JoinPoint, now: Int64) -> Wakes {
        for index in flights.indices {
            guard let own = flights[index].time(in: stream), own <= time else { continue }
            flights[index].waitsAt.removeAll { $0.number == point.number }
        }
        return recount(now)
    }

    /// Nothing is done any more with what is handed over: nobody needs to be waited for.
    mutating func renounce(now: Int64) -> Wakes {
        reporters = []
        flights = []
        return recount(now)
    }

    /// Somebody else will report: a reader outside the run.
    mutating func join(_ reporter: Int) { reporters.insert(reporter) }

    /// The run's clock shows `now`.
    mutating func pass(_ now: Int64) -> Wakes {
        expire(now)
        return wakes()
    }

    private mutating func settle(_ reporter: Int, _ now: Int64, _ isMeant: (Flight) -> Bool) -> Wakes {
        for index in flights.indices where isMeant(flights[index]) { flights[index].open.remove(reporter) }
        flights.removeAll { $0.open.isEmpty }
        return recount(now)
    }

    /// Counts the slots that are held, and fills those that are free.
    private mutating func recount(_ now: Int64) -> Wakes {
        busy = flights.count { !$0.isWaiting }
        fill(now)
        return wakes()
    }

    private mutating func expire(_ now: Int64) {
        guard let timeout, !flights.isEmpty else { return }
        let before = flights.count
        // One that only waits holds no slot that it could give back.
        flights.removeAll { now - $0.releasedAt >= timeout && !$0.isWaiting }
        busy -= before - flights.count
        timedOut += Int64(before - flights.count)
        if flights.count < before { fill(now) }
    }

    // MARK: Frames

    /// Returns false when the frame must wait outside, or when the run must fail.
    private mutating func offer(_ frame: Element, _ now: Int64, _ result: inout Offer) -> Bool {
        var frame = frame
        if isAbandoned {
            offered += 1
            drop(frame, .cancelled, &result)
            return true
        }
        let line = lines[frame.stream]
        if line == nil, inputs.contains(frame.stream),
            let index = flights.lastIndex(where: { $0.stream == frame.stream })
        {
            return join(frame, index, &result)
        }
        if (line?.frames ?? 0) > 0 || busy >= slots || hasEnoughWaiting(frame.stream), isFull(line, for: frame) {
            switch policy.onFull {
            case .wait:
                result.isFull = true
                producerWaits = true
                return false
            case .fail:
                result.overflowed = true
                return false
            case .dropOldest where policy.capacity > 0:
                markGap(&frame)
                offered += 1
                replaceOldest(by: frame, &result)
            case .dropOldest, .dropNewest:
                offered += 1
                gapsToCome[frame.stream, default: 0] += 1 + frame.gap
                drop(frame, .edgeFull, &result)
            }
            return true
        }
        markGap(&frame)
        offered += 1
        inputs.note(frame)
        lines[frame.stream, default: Line()].items.append(.frame(frame))
        lines[frame.stream]?.frames += 1
        waitingFrames += 1
        turns.append(frame.stream)
        fill(now)
        return true
    }

    /// Hands over another frame of an input that holds a slot. Returns false when it must wait outside, so that what one input
    /// makes does not pile up before a consumer that is slow.
    private mutating func join(_ frame: Element, _ flight: Int, _ result: inout Offer) -> Bool {
        guard policy.onFull != .wait || releasedFrames < room else {
            result.isFull = true
            producerWaits = true
            return false
        }
        var frame = frame
        markGap(&frame)
        offered += 1
        releasedFrames += 1
        inputs.note(frame)
        flights[flight].timestamp = max(flights[flight].timestamp, frame.timestamp)
        flights[flight].open = reporters
        flights[flight].waitsAt = []
        busy = flights.count { !$0.isWaiting }
        release(.frame(frame))
        return true
    }

    private func isFull(_ line: Line?, for frame: Element) -> Bool {
        guard let line else { return policy.capacity <= 0 }
        if line.frames >= policy.capacity { return true }
        guard let capacityMs = policy.capacityMs, let oldest = line.oldest else { return false }
        return Double(frame.timestamp.microseconds(since: oldest.timestamp)) > capacityMs * 1000
    }

    /// Drops the oldest frames of the stream until the new one has room; the next one inherits their gap, and the new one
    /// their turn.
    private mutating func replaceOldest(by frame: Element, _ result: inout Offer) {
        var frame = frame
        var line = lines[frame.stream] ?? Line()
        var replaced = 0
        while line.frames > 0, isFull(line, for: frame), let index = line.indexOfFrame(),
            case .frame(let old) = line.items[index]
        {
            line.items.remove(at: index)
            line.frames -= 1
            replaced += 1
            if !line.markGap(1 + old.gap) { frame.gap += 1 + old.gap }
            drop(old, .edgeFull, &result)
        }
        line.items.append(.frame(frame))
        line.frames += 1
        inputs.note(frame)
        waitingFrames += 1 - replaced
        // Each frame that waits has one turn: the new one has that of one it replaces.
        if replaced == 0 { turns.append(frame.stream) }
        lines[frame.stream] = line
        releaseLeading(of: frame.stream)
    }

    private mutating func append(_ item: Item, of stream: StreamID) {
        guard lines[stream] != nil else { return release(item) }
        lines[stream]?.items.appendBound(item)
    }

    /// Puts a receipt behind the frames that it speaks of: those of its stream, or where streams were renamed all behind which no
    /// bound has come.
    private mutating func append(receipt stream: StreamID, _ time: Timestamp) {
        if !isRenamed || inputs.contains(stream) {
            inputs.close(stream, upTo: time)
            return append(.receipt(stream, time), of: stream)
        }
        var isBehind = false
        for (renamed, _) in inputs.streams {
            if lines[renamed] != nil {
                lines[renamed]?.items.appendBound(.receipt(stream, time))
                isBehind = true
            } else if let index = flights.lastIndex(where: { $0.stream == renamed }) {
                flights[index].receipt = (stream, time)
            }
        }
        inputs.closeAll()
        if !isBehind { append(.receipt(stream, time), of: stream) }
    }

    /// Gives free slots to those who have waited longest.
    private mutating func fill(_ now: Int64) {
        while busy < slots, !isAbandoned, let stream = takeTurn() {
            guard var line = lines[stream], line.frames > 0 else { continue }
            let input = line.removeInput()
            guard input.frames > 0 else { continue }
            lines[stream] = line
            waitingFrames -= input.frames
            releasedFrames += input.frames
            for item in input.items { release(item) }
            for _ in 1..<input.frames { removeTurn(of: stream) }
            // Nobody to report means that nobody needs to be waited for.
            if !reporters.isEmpty {
                busy += 1
                flights.append(
                    Flight(
                        stream: stream, timestamp: input.time, releasedAt: now, receipt: input.receipt, open: reporters)
                )
            }
            releaseLeading(of: stream)
        }
        if waitingFrames == 0, let item = boundOfAll {
            boundOfAll = nil
            release(item)
        }
        if nextTurn > 64, nextTurn > turns.count / 2 {
            turns.removeFirst(nextTurn)
            nextTurn = 0
        }
    }

    /// The stream whose turn it is: the one that has waited longest, of those of which not too many wait further on.
    private mutating func takeTurn() -> StreamID? {
        guard let place = turns[nextTurn...].firstIndex(where: { !hasEnoughWaiting($0) }) else { return nil }
        let stream = turns[place]
        if place == nextTurn { nextTurn += 1 } else { turns.remove(at: place) }
        return stream
    }

    private mutating func removeTurn(of stream: StreamID) {
        guard let place = turns[nextTurn...].firstIndex(of: stream) else { return }
        turns.remove(at: place)
    }

    private func hasEnoughWaiting(_ stream: StreamID) -> Bool {
        guard flights.count - busy >= room else { return false }
        return flights.count { $0.stream == stream && $0.isWaiting } >= room
    }

    /// Lets go what no frame stands before any more.
    private mutating func releaseLeading(of stream: StreamID) {
        guard var line = lines[stream] else { return }
        let count = line.indexOfFrame() ?? line.items.count
        for item in line.items[..<count] { release(item) }
        line.items.removeFirst(count)
        lines[stream] = line.items.isEmpty ? nil : line
    }

    private mutating func release(_ item: Item) {
        if case .end(let stream) = item {
            for index in flights.indices where flights[index].stream == stream { flights[index].isBehindEnd = true }
        }
        released.appendBound(item)
        if released.count > boundLimit {
            released.removeOvertakenBounds()
            boundLimit = max(64, released.count * 2)
        }
    }

    private mutating func markGap(_ frame: inout Element) {
        if !gapsToCome.isEmpty, let gap = gapsToCome.removeValue(forKey: frame.stream) { frame.gap += gap }
    }

    private mutating func drop(_ frame: Element, _ reason: DropReason, _ result: inout Offer) {
        dropped[reason, default: 0] += 1
        result.drops.append((frame, reason))
    }

    // MARK: Waking

    private mutating func wake(_ result: Offer) -> Offer {
        var result = result
        result.wakesConsumer = wakesConsumer()
        return result
    }

    private mutating func wakesConsumer() -> Bool {
        guard consumerWaits, !released.isEmpty || isFinished else { return false }
        consumerWaits = false
        return true
    }

    /// Whoever waits for room looks again whenever something has moved: which line it waits for is not noted.
    private mutating func wakesProducer() -> Bool {
        defer { producerWaits = false }
        return producerWaits
    }

    private mutating func wakes() -> Wakes { Wakes(consumer: wakesConsumer(), producer: wakesProducer()) }
}
