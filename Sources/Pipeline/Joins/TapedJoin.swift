/// The input of a task of a repeated run: gives out exactly what the tape says the task took, in the same order.
///
/// Frames wait here until it is their turn. Frames that are never taken were dropped in the recorded run, and are freed. A frame
/// that the edges do not bring is passed over; the output of the task shows the difference.
final class TapedJoin: Join {
    private let edges: [Edge]
    private var haveFinished: [Bool]
    private let items: [TapeItem]
    private var next = 0
    /// How often each frame is still to be taken.
    private var uses: [UInt32: Int] = [:]
    private var waiting: [UInt32: (cell: FrameCell, edge: Int)] = [:]
    private var taken: [Item] = []
    private var noCells: [FrameCell] = []
    /// The join that the recorded run had: it makes sets of frames.
    private let join: Join

    init(_ items: [TapeItem], edges: [Edge], of join: Join) {
        (self.items, self.edges, self.join) = (items, edges, join)
        haveFinished = edges.map { _ in false }
        super.init(store: join.store)
        for item in items {
            switch item {
            case .frame(let ordinal, _): uses[ordinal, default: 0] += 1
            case .set(let parts, _, _): for case let part? in parts { uses[part.ordinal, default: 0] += 1 }
            case .bound, .receipt, .end, .finished: break
            }
        }
    }

    deinit {
        for (cell, edge) in waiting.values { free(cell, edge) }
    }

    override var mayBeLate: Bool { join.mayBeLate }
    override var isMerged: Bool { join.isMerged }

    /// Whether the run was ended by force before this task had taken everything.
    override var isCutShort: Bool { items.last != .finished }

    override var waitedFor: String {
        "frames on " + edges.indices.filter { !haveFinished[$0] }.map { edges[$0].name }.joined(separator: " or ")
    }

    override func look(into batch: inout [Item], used: inout [FrameCell]) -> Edge.Taken {
        // Emptied cells of sets are of no use to the edges.
        if join.makesSets { takeAll(returning: &noCells) } else { takeAll(returning: &used) }
        while next < items.count, batch.count < 256, add(items[next], to: &batch, &used) { next += 1 }
        if !batch.isEmpty { return .items }
        // Frames that nobody takes are taken from the edges all the same, so that no edge is ever full.
        return next == items.count && haveFinished.allSatisfy(\.self) ? .finished : .nothing
    }

    private func takeAll(returning used: inout [FrameCell]) {
        for index in edges.indices where !haveFinished[index] {
            while true {
                let found = edges[index].take(into: &taken, returning: &used)
                if found == .finished { haveFinished[index] = true }
                guard found == .items else { break }
                for case .frame(let cell) in taken {
                    let ordinal = cell.header.pointee.ordinal
                    if uses[ordinal] == nil { free(cell, index) } else { waiting[ordinal] = (cell, index) }
                }
                taken.removeAll(keepingCapacity: true)
            }
        }
    }

    /// Adds an item to a batch. Returns false when frames must come first.
    private func add(_ item: TapeItem, to batch: inout [Item], _ used: inout [FrameCell]) -> Bool {
        switch item {
        case .frame(let ordinal, let gap):
            guard let (cell, _) = waiting.removeValue(forKey: ordinal) else { return haveFinished.allSatisfy(\.self) }
            cell.header.pointee.gap = gap
            batch.append(.frame(cell))
        case .set(let parts, let gap, let time):
            let known = parts.compactMap(\.self)
            guard known.allSatisfy({ waiting[$0.ordinal] != nil }) || haveFinished.allSatisfy(\.self) else {
                return false
            }
            let cells = parts.map { part -> FrameCell? in
                guard let part, let (cell, _) = waiting[part.ordinal] else { return nil }
                cell.header.pointee.gap = part.gap
                return cell
            }
            let empty = used.popLast()
            if let cell = join.set(of: cells, gap: gap, at: time, into: empty) {
                batch.append(.frame(cell))
            } else if let empty {
                used.append(empty)
            }
            for part in known { use(part.ordinal) }
        case .bound(let stream, let time): batch.append(.bound(stream, time))
        case .receipt(let stream, let time): batch.append(.receipt(stream, time))
        case .end(let stream): batch.append(.end(stream))
        case .finished: break
        }
        return true
    }

    /// Notes that a frame has become part of a set, and frees it with the last of its sets.
    private func use(_ ordinal: UInt32) {
        let left = (uses[ordinal] ?? 1) - 1
        uses[ordinal] = left
        guard left == 0, let (cell, edge) = waiting.removeValue(forKey: ordinal) else { return }
        free(cell, edge)
    }

    private func free(_ cell: FrameCell, _ edge: Int) {
        edges[edge].store.empty(cell)
        edges[edge].store.free(cell)
    }

    override func abandon(_ rest: (Item) -> Void) {
        for edge in edges { edge.abandon() }
    }

    override func renounce() {
        for edge in edges { edge.renounce() }
    }
}
