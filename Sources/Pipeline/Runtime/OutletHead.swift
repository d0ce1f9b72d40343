/// Before what is told of a stream that is only known to come.
let unknownTime = Timestamp(rawValue: .min)

/// What takes the frames of one type of payload into an outlet.
enum EdgeEnd<P: Payload>: Receiver {
    typealias Received = P

    static func _receive(
        _ payload: consuming P, _ header: UnsafePointer<FrameHeader>, at node: UnsafeMutableRawPointer
    ) {
        P._put(payload, header, into: node)
    }
}

/// What an outlet looks at for every frame. Behind a pointer: stored in it, it would cost exclusivity checks.
@usableFromInline
package struct OutletHead {
    let branches: UnsafeMutableBufferPointer<OutletBranch>
    let threshold: Int
    /// Raised for the task when enough waits.
    let signal: OutletSignal
    private let notesTime: Bool
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

    /// Notes that a frame comes. Returns the last branch; -1 where there is none.
    @usableFromInline
    mutating func begin(_ header: UnsafePointer<FrameHeader>) -> Int {
        count += 1
        if count >= threshold { signal.isRaised = true }
        if notesTime {
            // Mostly the same as before: to compare is cheaper than to count references.
            if lastStream != header.pointee.stream { lastStream = header.pointee.stream }
            lastTime = header.pointee.timestamp
        }
        return branches.count - 1
    }

    /// Adds a cell to what waits for a branch's edge. The frame is still to be put into it.
    // Mutating, for it is called where it stands then; otherwise the whole structure is copied first.
    @usableFromInline
    mutating func addCell(to branch: Int) -> UnsafeMutableRawPointer {
        let cell = branches[branch].takeCell()
        branches[branch].pending.append(.frame(cell))
        return cell.memory
    }

    /// Frees all that waits, and the branches.
    func free() {
        for branch in branches { branch.free() }
        branches.deinitialize()
        branches.deallocate()
    }
}

/// Raised when some outlet of a task has enough to be moved: a task need not ask each of them after every frame.
final class OutletSignal {
    var isRaised = false
}
