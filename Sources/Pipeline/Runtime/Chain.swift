/// Stages one behind the other, and how their nodes lie in memory: one piece for all nodes of a copy.
final class Chain {
    let slots: [StageSlot]
    private let places: [Place]
    private let size: Int
    private let alignment: Int
    private let tail: AnyLink
    /// What takes the frames of every copy, at the copy's place in memory.
    private let receiver: any Receiver.Type
    /// What the last stage's frames go to, which must outlive every copy.
    private let held: AnyObject

    /// Where a node stands in a copy's memory.
    private struct Place {
        let head: Int
        let stage: Int
        let receiver: any Receiver.Type
    }

    /// - Parameters:
    ///   - slots: The stages, first to last; at least one.
    ///   - end: Where the last one's frames go.
    ///   - held: What stands behind that.
    /// - Throws: A defect when a stage does not take what the one before it makes; the checker has ruled that out.
    init(_ slots: [StageSlot], taking input: any Payload.Type, end tail: AnyLink, held: AnyObject) throws {
        self.slots = slots
        self.held = held
        self.tail = tail
        var places: [Place] = []
        var (offset, alignment) = (0, 16)
        var carried: any Payload.Type = input
        for slot in slots {
            let layout = slot.stage.layout
            guard ObjectIdentifier(layout.input) == ObjectIdentifier(carried) else {
                throw PipelineError.mistypedEdge(slot.metrics.id)
            }
            carried = layout.output
            let stage = (offset + MemoryLayout<NodeHead<FailedFrame>>.size).roundedUp(to: layout.alignment)
            places.append(Place(head: offset, stage: stage, receiver: slot.receiver))
            // A stage without state has a place of its own too: behind the end of this memory stands what is somebody else's.
            offset = (stage + max(layout.size, 1)).roundedUp(to: 16)
            alignment = max(alignment, layout.alignment)
        }
        guard let first = slots.first, tail.carries(carried) else {
            throw PipelineError.mistypedEdge(slots.last?.metrics.id ?? "")
        }
        receiver = first.receiver
        (self.places, size, self.alignment) = (places, offset, alignment)
    }

    /// - Parameter end: What the last stage's frames go to.
    convenience init(_ slots: [StageSlot], taking input: any Payload.Type, end: any ReceivingObject) throws {
        try self.init(slots, taking: input, end: AnyLink(end), held: end)
    }

    /// Makes a copy for a stream. Whoever takes it frees it.
    func make(for stream: StreamID) -> UnsafeMutableRawPointer {
        let memory = UnsafeMutableRawPointer.allocate(byteCount: max(size, 1), alignment: alignment)
        var next = tail
        for (slot, place) in zip(slots, places).reversed() {
            let state = NodeState(slot, stage: memory + place.stage, stream: stream)
            slot.stage.initialize(state, at: memory + place.head, next: next)
            next = AnyLink(place.receiver, memory + place.head)
        }
        return memory
    }

    /// Frees a copy.
    func free(_ memory: UnsafeMutableRawPointer) {
        for (slot, place) in zip(slots, places) {
            type(of: slot.stage).deinitialize(memory + place.stage)
            (memory + place.head).assumingMemoryBound(to: NodeState.self).deinitialize(count: 1)
        }
        memory.deallocate()
    }

    /// Where a copy takes its frames.
    func head(of memory: UnsafeMutableRawPointer) -> AnyLink { AnyLink(receiver, memory) }

    /// A node of a copy.
    func node(_ index: Int, of memory: UnsafeMutableRawPointer) -> StageNode { StageNode(memory + places[index].head) }

    /// All nodes of a copy, first to last.
    func nodes(of memory: UnsafeMutableRawPointer) -> [StageNode] { places.indices.map { node($0, of: memory) } }

    /// The first node of a copy.
    func first(of memory: UnsafeMutableRawPointer) -> StageNode { node(0, of: memory) }

    /// The last node of a copy.
    func last(of memory: UnsafeMutableRawPointer) -> StageNode { node(places.count - 1, of: memory) }

    /// When the stage of a copy that is to be woken first wants to be, and its node; of several the first in the chain.
    func nextWake(of memory: UnsafeMutableRawPointer) -> (time: Timestamp, node: StageNode)? {
        var next: (time: Timestamp, node: StageNode)?
        for index in places.indices {
            let node = node(index, of: memory)
            if let time = node.wakeTime, time < next?.time ?? .never { next = (time, node) }
        }
        return next
    }

    /// Ends a copy: its stages finish, first to last.
    func finish(_ memory: UnsafeMutableRawPointer, at bound: Timestamp) {
        for index in places.indices { node(index, of: memory).finish(at: bound) }
    }
}

/// What a chain must know of a stage's type to give it a place.
private struct StageLayout {
    let input: any Payload.Type
    let output: any Payload.Type
    let size: Int
    let alignment: Int
}

extension Stage {
    fileprivate var layout: StageLayout {
        StageLayout(
            input: Input.self, output: Output.self, size: MemoryLayout<Self>.size,
            alignment: max(16, MemoryLayout<Self>.alignment))
    }

    /// Makes a node of a copy of the stage.
    fileprivate func initialize(_ state: NodeState, at memory: UnsafeMutableRawPointer, next: AnyLink) {
        memory.initializeMemory(
            as: NodeHead<Output>.self, to: NodeHead(state, next: next.carrying(Output.self)))
        state.stage.initializeMemory(as: Self.self, to: self)
    }

    fileprivate static func deinitialize(_ stage: UnsafeMutableRawPointer) {
        stage.assumingMemoryBound(to: Self.self).deinitialize(count: 1)
    }
}

extension Int {
    fileprivate func roundedUp(to alignment: Int) -> Int { (self + alignment - 1) / alignment * alignment }
}
