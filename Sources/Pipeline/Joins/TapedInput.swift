/// The input of a task that takes what a tape says, whatever else its edges bring.
///
/// Frames wait here until it is their turn; those that are never taken were dropped when the tape was made, and are let go. A frame
/// that the edges do not bring is passed over: what comes of that shows in what the task makes.
final class TapedInput {
    typealias Item = EdgeItem<FrameCell>

    private let edges: [Edge]
    private var haveFinished: [Bool]
    private let items: [TapeItem]
    private var next = 0
    /// How often each frame is still to be taken.
    private var uses: [UInt32: Int] = [:]
    private var waiting: [UInt32: (cell: FrameCell, edge: Int)] = [:]
    private var taken: [Item] = []
    private var noCells: [FrameCell] = []
    /// Makes sets of frames, where there are such.
    private let aligned: AnyAlignedInput?

    init(_ items: [TapeItem], edges: [Edge], aligned: AnyAlignedInput?) {
        (self.items, self.edges, self.aligned) = (items, edges, aligned)
        haveFinished = edges.map { _ in false }
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

    /// Whether the run was ended by force before this task had taken everything.
    var isCutShort: Bool { items.last != .finished }

    /// What it waits for.
    var waitedFor: String {
        "frames on " + edges.indices.filter { !haveFinished[$0] }.map { edges[$0].name }.joined(separator: " or ")
    }

    /// Fills `batch`, which must be empty, with what comes next.
    ///
    /// - Parameter used: Emptied cells: of the edges, or of sets.
    func look(into batch: inout [Item], used: inout [FrameCell]) -> Edge.Taken {
        if aligned == nil { takeAll(returning: &used) } else { takeAll(returning: &noCells) }
        while next < items.count, batch.count < 256, add(items[next], to: &batch, &used) { next += 1 }
        if !batch.isEmpty { return .items }
        // What nobody takes is taken all the same, so that no edge is ever full.
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
            if let cell = aligned?.set(of: cells, gap: gap, at: time, into: empty) {
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

    /// A frame has become part of a set; with the last of its sets it goes.
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

    /// Says that no more will be taken.
    func abandon() {
        for edge in edges { edge.abandon() }
    }

    /// Tells whoever sends that nobody does anything with it any more.
    func renounce() {
        for edge in edges { edge.renounce() }
    }
}
