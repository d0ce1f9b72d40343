/// The end of a segment: collects what comes out of it and moves it to the edges in batches.
///
/// Fan-out: each branch has an edge of its own. What fits is offered to all of them before anybody waits, so that a full
/// branch never holds back one that has room.
final class EdgeOutlet: AnyOutlet {
    private let head: UnsafeMutablePointer<OutletHead>
    let wantsBounds: Bool
    let wantsProgress: Bool
    let wantsCredits: Bool
    let wantsInputEnds: Bool
    private let isExplicit: Bool
    /// The streams that came of the last frame of each stream, and where what came of the last one begins.
    private var names: [StreamID: [StreamID]]?
    private var inputBegin = 0

    /// Where its frames come in.
    let link: AnyLink

    /// - Parameters:
    ///   - payload: What it carries, and all of the edges.
    ///   - isExplicit: Whether frames imply nothing of the time of their stream, so that every bound must be passed on.
    ///   - isPrompt: Whether every item is moved as soon as it is there, and not when a batch of them is.
    init<P: Payload>(
        carrying payload: P.Type, edges: [Edge], signal: OutletSignal, isExplicit: Bool = false, isPrompt: Bool = false
    ) {
        self.isExplicit = isExplicit
        wantsBounds = edges.contains { $0.wantsBounds }
        wantsProgress = edges.contains { $0.wantsProgress }
        wantsCredits = edges.contains { $0.takesCredits }
        wantsInputEnds = edges.contains { $0.hasSlots }
        head = .allocate(capacity: 1)
        head.initialize(
            to: OutletHead(
                edges: edges, signal: signal,
                threshold: isPrompt ? 1 : edges.map { max(1, min($0.policy.capacity, 256)) }.min() ?? 64,
                notesTime: wantsBounds && !isExplicit))
        link = AnyLink(EdgeEnd<P>.self, UnsafeMutableRawPointer(head))
    }

    deinit {
        for branch in branches {
            branch.edge.store.discard(branch.pending[branch.cursor...])
            for cell in branch.spare { branch.edge.store.free(cell) }
        }
        branches.deinitialize()
        branches.deallocate()
        head.deinitialize(count: 1)
        head.deallocate()
    }

    private var branches: UnsafeMutableBufferPointer<OutletBranch> { head.pointee.branches }

    /// How many items wait to be moved.
    private var count: Int {
        get { head.pointee.count }
        set { head.pointee.count = newValue }
    }

    private var threshold: Int { head.pointee.threshold }
    private var signal: OutletSignal { head.pointee.signal }

    private var lastStream: StreamID {
        get { head.pointee.lastStream }
        set { head.pointee.lastStream = newValue }
    }

    private var lastTime: Timestamp {
        get { head.pointee.lastTime }
        set { head.pointee.lastTime = newValue }
    }

    var isReady: Bool { count >= threshold }

    func bound(_ stream: StreamID?, _ time: Timestamp) {
        guard wantsBounds else { return }
        if let stream, !isExplicit {
            if stream == lastStream, time <= lastTime { return }
            lastStream = stream
            lastTime = time
        }
        for i in branches.indices where branches[i].edge.wantsBounds {
            branches[i].pending.appendBound(.bound(stream, time))
        }
        count += 1
        if count >= threshold { signal.isRaised = true }
    }

    func receipt(_ stream: StreamID, _ time: Timestamp) {
        count += 1
        if count >= threshold { signal.isRaised = true }
        for i in branches.indices { branches[i].pending.appendBound(.receipt(stream, time)) }
    }

    func end(_ stream: StreamID) {
        count += 1
        if count >= threshold { signal.isRaised = true }
        for i in branches.indices { branches[i].pending.append(.end(stream)) }
        if lastStream == stream { lastTime = unknown }
    }

    func credit(_ credit: Credit, of stream: StreamID?) {
        var streams = [stream]
        if let names {
            let known = stream.flatMap { names[$0] } ?? []
            streams = known.isEmpty ? [nil] : known
        }
        var isTaken = false
        for i in branches.indices where branches[i].edge.takesCredits {
            for stream in streams {
                branches[i].pending.append(.credit(isTaken ? credit.divided() : credit, of: stream))
                isTaken = true
            }
        }
        count += 1
        if count >= threshold { signal.isRaised = true }
    }

    func inputEnd() {
        for i in branches.indices where branches[i].edge.hasSlots {
            if case .frame? = branches[i].pending.last { branches[i].pending.append(.inputEnd) }
        }
    }

    func beginInput() { inputBegin = branches.first?.pending.count ?? 0 }

    func noteNames(of stream: StreamID) {
        var list: [StreamID] = []
        for case .frame(let cell) in branches.first?.pending[inputBegin...] ?? [] where !list.contains(cell.stream) {
            list.append(cell.stream)
        }
        // What is not known any more is taken to be finished.
        if names?.count ?? 0 >= Self.mostNames { names = nil }
        names = names ?? [:]
        names?[stream] = list
    }

    private static var mostNames: Int { 10_000 }

    func progress(_ rank: SourceRank) {
        guard wantsProgress else { return }
        count += 1
        if count >= threshold { signal.isRaised = true }
        for i in branches.indices where branches[i].edge.wantsProgress {
            branches[i].pending.appendBound(.progress(rank))
        }
    }

    func offer() -> String? {
        var full: Edge?
        for i in branches.indices where !branches[i].pending.isEmpty {
            let hasRoom = branches[i].offer()
            if !hasRoom, full == nil || full?.isConsumedOutside == false { full = branches[i].edge }
        }
        guard let full else {
            count = 0
            return nil
        }
        // A reader outside the run may come at any time: waiting for it is no part of a deadlock.
        return full.isConsumedOutside ? "" : "room on \(full.name)"
    }

    func discard() {
        for branch in branches { branch.edge.abandon() }
        _ = offer()
    }

    func finish() {
        for branch in branches { branch.edge.finish() }
    }

    var isUnwanted: Bool { !branches.isEmpty && branches.allSatisfy { $0.edge.isUnwanted } }
}

/// Before what is told of a stream that is only known to come.
private let unknown = Timestamp(rawValue: .min)

/// What takes the frames of one type of payload into an outlet.
private enum EdgeEnd<P: Payload>: Receiver {
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
    fileprivate let branches: UnsafeMutableBufferPointer<OutletBranch>
    fileprivate let threshold: Int
    /// Raised for the task when enough waits.
    fileprivate let signal: OutletSignal
    private let notesTime: Bool
    fileprivate var count = 0
    fileprivate var lastStream = StreamID("")
    fileprivate var lastTime = unknown

    fileprivate init(edges: [Edge], signal: OutletSignal, threshold: Int, notesTime: Bool) {
        branches = .allocate(capacity: edges.count)
        _ = branches.initialize(fromContentsOf: edges.map { OutletBranch(edge: $0) })
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
        let cell = branches[branch].spare.popLast() ?? branches[branch].edge.store.allocate()
        branches[branch].pending.append(.frame(cell))
        return cell.memory
    }
}

/// Raised when some outlet of a task has enough to be moved: a task need not ask each of them after every frame.
final class OutletSignal {
    var isRaised = false
}

/// What waits to be moved to one edge.
// Behind a pointer in its outlet: a stored one would cost an exclusivity check at every frame.
fileprivate struct OutletBranch {
    let edge: Edge
    var pending: [EdgeItem<FrameCell>] = []
    var cursor = 0
    /// Empty cells to fill.
    var spare: [FrameCell] = []

    /// Up to where the frames that wait have their ordinals, and the next of these.
    private var numbered = 0
    private var ordinal: UInt32

    init(edge: Edge) {
        self.edge = edge
        ordinal = edge.numbering?.first ?? 0
    }

    mutating func offer() -> Bool {
        if let numbering = edge.numbering { number(by: numbering.step) }
        defer { if pending.isEmpty { numbered = 0 } }
        return edge.offer(&pending, from: &cursor, spare: &spare)
    }

    private mutating func number(by step: UInt32) {
        for case .frame(let cell) in pending[numbered...] {
            cell.header.pointee.ordinal = ordinal
            ordinal &+= step
        }
        numbered = pending.count
    }
}

/// The end of a segment, whatever it carries.
protocol AnyOutlet: AnyObject {
    /// Whether enough waits to be moved now.
    var isReady: Bool { get }

    /// Whether it makes anything of ``bound(_:_:)``.
    var wantsBounds: Bool { get }

    /// Notes that a stream's time (or with `nil` every stream's) has come to `time`.
    func bound(_ stream: StreamID?, _ time: Timestamp)

    /// Notes that all of a stream up to `time` has passed under other names.
    func receipt(_ stream: StreamID, _ time: Timestamp)

    /// Notes that a stream has ended.
    func end(_ stream: StreamID)

    /// Whether it makes anything of ``progress(_:)``.
    var wantsProgress: Bool { get }

    /// Notes that all has come that comes of what the sources brought up to `rank`.
    func progress(_ rank: SourceRank)

    /// Moves what fits. Returns what must be waited for if something is left; an empty text for something outside.
    func offer() -> String?

    /// Drops what is left, and all that will come.
    func discard()

    /// Whether it makes anything of ``credit(_:of:)``.
    var wantsCredits: Bool { get }

    /// Passes a credit on behind all that was made of a stream's last frame.
    func credit(_ credit: Credit, of stream: StreamID?)

    /// Notes that a frame is about to be given, whose stream gets other names.
    func beginInput()

    /// Notes the names of the streams that came of it.
    func noteNames(of stream: StreamID)

    /// Whether it makes anything of ``inputEnd()``.
    var wantsInputEnds: Bool { get }

    /// Notes that all has come that one input makes.
    func inputEnd()

    /// Says that nothing more will come.
    func finish()

    /// Whether nobody behind it does anything with what comes any more.
    var isUnwanted: Bool { get }
}

extension AnyOutlet {
    var wantsProgress: Bool { false }
    func progress(_ rank: SourceRank) {}
    var wantsCredits: Bool { false }
    func credit(_ credit: Credit, of stream: StreamID?) {}
    func beginInput() {}
    func noteNames(of stream: StreamID) {}
    var wantsInputEnds: Bool { false }
    func inputEnd() {}
}

extension [any AnyOutlet] {
    /// Moves what fits on all of them. Returns what must be waited for if something is left; an empty text for something outside.
    func offer() -> String? {
        var full: String?
        for outlet in self {
            guard let reason = outlet.offer() else { continue }
            if full == nil || full?.isEmpty == false { full = reason }
        }
        return full
    }

    /// Passes a credit on over each of them; over none of them it ends.
    func pass(_ credit: Credit, of stream: StreamID?) {
        guard let last else { return credit.end() }
        for outlet in dropLast() { outlet.credit(credit.divided(), of: stream) }
        last.credit(credit, of: stream)
    }

    /// Moves everything, waiting for room. What has room on one of them never waits for another.
    nonisolated(nonsending) func flush(_ waker: Waker, _ monitor: RunMonitor, at place: String) async {
        while let reason = offer() {
            if monitor.isClosed {
                for outlet in self { outlet.discard() }
                return
            }
            await waker.wait(for: reason.isEmpty ? nil : "\(place) waits for \(reason)")
        }
    }
}
