/// The items that an asynchronous stage has taken and not yet emitted, in the order in which they were taken. A pure state machine.
///
/// The call for a frame starts as soon as fewer than `perStream` calls of its stream are in progress. The result of the call is
/// emitted after everything that was taken before the frame: in the same stream if streams are kept apart, otherwise in all
/// streams, so that the order across streams does not depend on how long calls take.
struct RequestWindow<Input: Payload, Output: Payload> {
    /// The outcome of a call.
    typealias Outcome = Result<[Output], any Error>

    /// An item that can be emitted now.
    enum Settled {
        case frame(Frame<Input>, Outcome)
        case mark(Mark)
    }

    private enum State {
        /// The call has not started, or the item is not a frame.
        case waiting
        case begun
        case ended(Outcome)
    }

    private struct Entry {
        let number: Int
        let item: EdgeItem<Frame<Input>>
        var state = State.waiting
    }

    private let perStream: Int
    private let keepsStreamsApart: Bool
    private var entries: [Entry] = []
    /// The number of items that were taken.
    private var taken = 0

    /// The number of frames.
    private(set) var frames = 0

    /// The number of calls in progress.
    private(set) var begun = 0

    /// The number of frames whose calls have not started.
    private(set) var waiting = 0

    /// - Parameter keepsStreamsApart: Whether streams may overtake one another, so that no stream waits for the calls of another.
    init(perStream: Int, keepsStreamsApart: Bool) {
        self.perStream = max(1, perStream)
        self.keepsStreamsApart = keepsStreamsApart
    }

    /// Whether every item that was taken has been emitted.
    var isEmpty: Bool { entries.isEmpty }

    /// Adds an item.
    mutating func add(_ item: EdgeItem<Frame<Input>>) {
        if case .frame = item {
            frames += 1
            waiting += 1
        }
        taken += 1
        entries.append(Entry(number: taken, item: item))
    }

    /// Returns the next frame whose call can start, with the number to pass to ``end(_:_:)``; `nil` if there is none.
    ///
    /// - Complexity: O(n), where n is the number of items in the window.
    mutating func begin() -> (number: Int, frame: Frame<Input>)? {
        guard waiting > 0 else { return nil }
        var under: [StreamID: Int] = [:]
        for index in entries.indices {
            guard case .frame(let frame) = entries[index].item else { continue }
            switch entries[index].state {
            case .begun: under[frame.stream, default: 0] += 1
            case .waiting where under[frame.stream, default: 0] < perStream:
                entries[index].state = .begun
                begun += 1
                waiting -= 1
                return (entries[index].number, frame)
            // Later frames of the stream must not overtake this one.
            case .waiting: under[frame.stream] = perStream
            case .ended: break
            }
        }
        return nil
    }

    /// Records the outcome of a call.
    mutating func end(_ number: Int, _ outcome: Outcome) {
        guard let index = entries.firstIndex(where: { $0.number == number }), case .begun = entries[index].state else {
            return
        }
        entries[index].state = .ended(outcome)
        begun -= 1
    }

    /// Removes and returns the next item that can be emitted; `nil` if every item must wait.
    ///
    /// - Complexity: O(n), where n is the number of items in the window.
    mutating func next() -> Settled? {
        var held: Set<StreamID> = []
        for index in entries.indices {
            let stream: StreamID?
            var settled: Settled?
            switch entries[index].item {
            case .frame(let frame):
                stream = frame.stream
                if case .ended(let outcome) = entries[index].state { settled = .frame(frame, outcome) }
            // A credit without a stream does not refer to any waiting item.
            case .mark(.credit(let credit, nil)):
                entries.remove(at: index)
                return .mark(.credit(credit, of: nil))
            case .mark(.credit(let credit, let of?)): (stream, settled) = (of, .mark(.credit(credit, of: of)))
            case .mark(let mark): (stream, settled) = (mark.stream, .mark(mark))
            }
            // An item that concerns all streams waits for all of them.
            let isHeld = keepsStreamsApart ? stream.map(held.contains) ?? !held.isEmpty : !held.isEmpty
            if let settled, !isHeld {
                if case .frame = settled { frames -= 1 }
                entries.remove(at: index)
                return settled
            }
            guard let stream else { return nil }
            held.insert(stream)
        }
        return nil
    }

    /// Removes and returns all frames that were not emitted, whether their calls have started or not.
    mutating func drain() -> [Frame<Input>] {
        defer {
            entries = []
            (frames, begun, waiting) = (0, 0, 0)
        }
        return entries.compactMap { if case .frame(let frame) = $0.item { frame } else { nil } }
    }
}
