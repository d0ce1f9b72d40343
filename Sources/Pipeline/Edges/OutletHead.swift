/// The time of a stream that has had no frame since it began. It is before every timestamp.
let unknownTime = Timestamp(rawValue: .min)

/// A receiver whose node is the head of an outlet, and which only puts the frames into that outlet.
protocol OutletReceiver: Receiver {}

/// Receives the frames of one payload type and puts them into an outlet.
enum EdgeEnd<P: Payload>: OutletReceiver {
    typealias Received = P

    static func _receive(
        _ payload: borrowing P, _ header: UnsafePointer<FrameHeader>, at node: UnsafeMutableRawPointer
    ) {
        P._put(payload, header, into: node)
    }
}

/// The part of an outlet that is used for every frame. The outlet stores it behind a pointer, because a stored property would
/// need exclusivity checks.
@usableFromInline
package struct OutletHead {
    let branches: UnsafeMutableBufferPointer<OutletBranch>
    let threshold: Int
    /// Raised when enough frames are waiting, so that the task moves them.
    let signal: OutletSignal
    private let notesTime: Bool
    /// The number of items that wait to be moved.
    var count = 0
    var lastStream = StreamID("")
    var lastTime = unknownTime

    init(_ list: [OutletBranch], signal: OutletSignal, threshold: Int, notesTime: Bool) {
        branches = .allocate(capacity: list.count)
        _ = branches.initialize(fromContentsOf: list)
        self.threshold = threshold
        self.signal = signal
        self.notesTime = notesTime
    }

    /// Counts a new item.
    @inline(__always)
    mutating func noteItem() {
        count += 1
        if count >= threshold { signal.isRaised = true }
    }

    /// Counts a new frame. Returns the index of the last branch, or -1 if there is no branch.
    @usableFromInline
    mutating func begin(_ header: UnsafePointer<FrameHeader>) -> Int {
        noteItem()
        if notesTime {
            // The stream is usually the same as before, and a comparison is cheaper than reference counting.
            if lastStream != header.pointee.stream { lastStream = header.pointee.stream }
            lastTime = header.pointee.timestamp
        }
        return branches.count - 1
    }

    /// Adds an empty cell to the items that wait for the edge of a branch. The caller must put the frame into it.
    // Mutating, so that the call works in place; otherwise the whole structure would be copied first.
    @usableFromInline
    mutating func addCell(to branch: Int) -> UnsafeMutableRawPointer {
        let cell = branches[branch].takeCell()
        branches[branch].pending.append(.frame(cell))
        return cell.memory
    }

    /// Frees the branches and all waiting items.
    func free() {
        for branch in branches { branch.free() }
        branches.deinitialize()
        branches.deallocate()
    }
}

/// A flag that is raised when an outlet of a task has enough waiting frames, so that the task need not check every outlet after
/// every frame.
final class OutletSignal {
    // Unchecked, because it is used for every frame, by one task at a time.
    @exclusivity(unchecked) var isRaised = false
}
