/// The output end of a segment: collects frames and marks, and moves them to the edges in batches.
///
/// At a fan-out, each branch has its own edge. Items are offered to all edges before the task waits, so a full branch never delays
/// a branch that has room.
final class EdgeOutlet: AnyOutlet {
    private let head: UnsafeMutablePointer<OutletHead>
    private let edges: [Edge]
    private let store: FrameStore
    let wantsWatermarks: Bool
    let wantsProgress: Bool
    let wantsCredits: Bool
    let wantsInputEnds: Bool
    private let watermarks: Watermarks
    /// For each input stream, the names of the streams to which the output of its last frame belongs. `nil` until names are
    /// recorded.
    private var names: [StreamID: [StreamID]]?
    private var outputs = OutputStreams(maxNames: EdgeOutlet.mostNames)
    /// The number of waiting items whose streams are recorded.
    private var named = 0

    /// The link that receives the frames of the segment.
    let link: AnyLink

    /// - Parameters:
    ///   - payload: The payload type of the outlet and of all its edges.
    ///   - watermarks: How watermarks travel. Implied watermarks need not be sent.
    ///   - isPrompt: Whether every item is moved immediately instead of in batches.
    init<P: Payload>(
        carrying payload: P.Type, edges: [Edge], signal: OutletSignal, watermarks: Watermarks = .implied,
        isPrompt: Bool = false
    ) {
        self.watermarks = watermarks
        self.edges = edges
        store = FrameStore(payload)
        wantsWatermarks = edges.contains { $0.wantsWatermarks }
        wantsProgress = edges.contains { $0.wantsProgress }
        wantsCredits = edges.contains { $0.takesCredits }
        wantsInputEnds = edges.contains { $0.hasSlots }
        head = .allocate(capacity: 1)
        head.initialize(
            to: OutletHead(
                edges.map { OutletBranch($0.store, numbering: $0.numbering) }, signal: signal,
                threshold: isPrompt ? 1 : edges.map { max(1, min($0.policy.capacity, 256)) }.min() ?? 64,
                notesTime: wantsWatermarks && watermarks == .implied))
        link = AnyLink(EdgeEnd<P>.self, UnsafeMutableRawPointer(head))
    }

    deinit {
        head.pointee.free()
        head.deinitialize(count: 1)
        head.deallocate()
    }

    private var branches: UnsafeMutableBufferPointer<OutletBranch> { head.pointee.branches }

    var isReady: Bool { head.pointee.count >= head.pointee.threshold }

    func take(_ mark: Mark) {
        switch mark {
        case .bound(let stream, let time):
            guard wantsWatermarks, isNews(stream, time) else { return }
            append(mark) { $0.wantsWatermarks }
        case .progress:
            guard wantsProgress else { return }
            append(mark) { $0.wantsProgress }
        case .receipt: append(mark) { _ in true }
        case .end(let stream, _):
            append(mark) { _ in true }
            if head.pointee.lastStream == stream { head.pointee.lastTime = unknownTime }
        case .credit(let credit, let stream): take(credit, of: stream)
        case .inputEnd:
            for i in branches.indices where edges[i].hasSlots {
                if case .frame? = branches[i].pending.last { branches[i].pending.append(.mark(.inputEnd)) }
            }
        }
    }

    private func append(_ mark: Mark, to isMeant: (Edge) -> Bool) {
        for i in branches.indices where isMeant(edges[i]) { branches[i].pending.appendMark(.mark(mark)) }
        head.pointee.noteItem()
    }

    /// Returns whether a watermark is above the one that the last frame or watermark implies.
    private func isNews(_ stream: StreamID?, _ time: Timestamp) -> Bool {
        guard let stream, watermarks == .implied else { return true }
        if stream == head.pointee.lastStream, time <= head.pointee.lastTime { return false }
        head.pointee.lastStream = stream
        head.pointee.lastTime = time
        return true
    }

    private func take(_ credit: Credit, of stream: StreamID?) {
        var streams = [stream]
        if let names {
            let known = stream.flatMap { names[$0] } ?? []
            streams = known.isEmpty ? [nil] : known
        }
        var isTaken = false
        for i in branches.indices where edges[i].takesCredits {
            for stream in streams {
                branches[i].pending.append(.mark(.credit(isTaken ? credit.divided() : credit, of: stream)))
                isTaken = true
            }
        }
        head.pointee.noteItem()
    }

    func noteNames(of stream: StreamID, isFrame: Bool) {
        var list: [StreamID] = []
        for case .frame(let cell) in branches.first?.pending[named...] ?? [] where !list.contains(cell.stream) {
            list.append(cell.stream)
            outputs.note(cell.stream, madeFrom: stream)
        }
        named = branches.first?.pending.count ?? 0
        guard isFrame, wantsCredits else { return }
        // If there are too many input streams, forget the names of all of them. The credit of a stream without names is sent as if
        // its frame had no output.
        if names?.count ?? 0 >= Self.mostNames { names = nil }
        names = names ?? [:]
        names?[stream] = list
    }

    func endNames(of stream: StreamID, _ end: StreamEnd) {
        for (name, end) in outputs.end(stream, end) { take(.end(name, end)) }
    }

    /// Takes over the stream names that another outlet of the same node has recorded, and the time that it has passed on.
    func adopt(_ other: EdgeOutlet) {
        (names, outputs) = (other.names, other.outputs)
        (head.pointee.lastStream, head.pointee.lastTime) = (other.head.pointee.lastStream, other.head.pointee.lastTime)
    }

    private static var mostNames: Int { 10_000 }

    func offer() -> String? {
        var full: Edge?
        for i in branches.indices where !branches[i].pending.isEmpty {
            let hasRoom = branches[i].offer(to: edges[i])
            if !hasRoom, full == nil || full?.isConsumedOutside == false { full = edges[i] }
        }
        named = branches.first?.pending.count ?? 0
        guard let full else {
            head.pointee.count = 0
            return nil
        }
        // A reader outside the run may read at any time, so waiting for it is not part of a deadlock.
        return full.isConsumedOutside ? "" : "room on \(full.name)"
    }

    func discard() {
        for edge in edges { edge.abandon() }
        _ = offer()
    }

    func finish() {
        for edge in edges { edge.finish() }
    }

    var isUnused: Bool { !edges.isEmpty && edges.allSatisfy(\.isUnused) }

    // MARK: Output of workers

    func makeBuffer() -> OutletBuffer { OutletBuffer(link.receiver, store, for: self) }

    func put(_ cell: FrameCell) { store.payload._move(cell.memory, into: UnsafeMutableRawPointer(head)) }

    func cancel(_ cell: FrameCell) {
        for edge in edges { edge.cancel(cell.header.pointee) }
        store.empty(cell)
    }
}
