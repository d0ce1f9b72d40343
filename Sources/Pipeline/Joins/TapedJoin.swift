/// The input of a task in a repeated run: delivers exactly what the task took in the recorded run, in the same order.
///
/// Frames wait here until their turn on the tape. Frames that are not on the tape were dropped in the recorded run, and are freed.
/// If the edges do not deliver a frame that is on the tape, the join skips that frame, and the task's output differs.
final class TapedJoin: Join {
    private var haveFinished: [Bool]
    private let items: [TapeItem]
    private var next = 0
    /// For each frame on the tape, by its ordinal, the number of times that it must still be delivered.
    private var uses: [UInt32: Int] = [:]
    /// The frames that wait for their turn, by their ordinals, each with the index of its edge.
    private var waiting: [UInt32: (cell: FrameCell, edge: Int)] = [:]
    private var taken: [Item] = []
    /// A join like that of the recorded run. It makes the sets of frames.
    private let join: Join

    init(_ items: [TapeItem], edges: [Edge], of join: Join) {
        (self.items, self.join) = (items, join)
        haveFinished = edges.map { _ in false }
        super.init(store: join.store, edges: edges)
        for item in items {
            switch item {
            case .frame(let ordinal, _): uses[ordinal, default: 0] += 1
            case .set(let parts, _, _): for case let part? in parts { uses[part.ordinal, default: 0] += 1 }
            case .bound, .end, .finished: break
            }
        }
    }

    deinit {
        for (cell, edge) in waiting.values { free(cell, edge) }
    }

    override var mayBeLate: Bool { join.mayBeLate }
    override var isMerged: Bool { join.isMerged }

    /// Whether the recorded run was cut off before this task had taken everything.
    override var isCutShort: Bool { items.last != .finished }

    override var waitedFor: String {
        "frames on " + edges.indices.filter { !haveFinished[$0] }.map { edges[$0].name }.joined(separator: " or ")
    }

    override func look(into batch: inout [Item], used: inout [FrameCell]) -> Edge.Taken {
        // Return no emptied cells to the edges if they are cells of sets, which the edges cannot use.
        var none: [FrameCell] = []
        if join.makesSets { takeAll(returning: &none) } else { takeAll(returning: &used) }
        while next < items.count, batch.count < 256, add(items[next], to: &batch, &used) { next += 1 }
        if !batch.isEmpty { return .items }
        // Wait for all edges, because frames that are not on the tape must be taken too: otherwise an edge could stay full.
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

    /// Adds an item to a batch. Returns false if a frame of the item has not arrived yet.
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
        case .bound(let stream, let time): batch.append(.mark(.bound(stream, time)))
        case .end(let stream): batch.append(.mark(.end(stream)))
        case .finished: break
        }
        return true
    }

    /// Records that a frame has become part of a set, and frees the frame after the last of its sets.
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
}
