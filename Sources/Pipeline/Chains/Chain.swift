/// A chain of stages, and the memory layout of its instances. All nodes of an instance are in one block of memory.
final class Chain {
    let slots: [StageSlot]
    private let places: [Place]
    private let size: Int
    private let alignment: Int
    private let tail: AnyLink
    /// The type that receives the frames of every instance, at the address of the instance.
    private let receiver: any Receiver.Type
    /// The object that receives the frames of the last stage. It must outlive every instance.
    private let held: AnyObject

    /// The position of a node in the memory of an instance.
    private struct Place {
        let head: Int
        /// The position of the stage; `nil` if all instances share it.
        let stage: Int?
        let receiver: any Receiver.Type
    }

    /// - Parameters:
    ///   - slots: The stages, first to last; at least one.
    ///   - tail: The link that receives the frames of the last stage.
    ///   - held: The object behind this link, which the chain retains.
    /// - Throws: A defect if a stage does not accept the output of the previous stage. The checks of a configuration prevent this.
    init(_ slots: [StageSlot], taking input: any Payload.Type, end tail: AnyLink, held: AnyObject) throws {
        self.slots = slots
        self.held = held
        self.tail = tail
        var places: [Place] = []
        var (offset, alignment) = (0, 16)
        var carried: any Payload.Type = input
        for slot in slots {
            let type = type(of: slot.stage)
            guard type.takes(carried) else { throw PipelineError.mistypedEdge(slot.account.id) }
            carried = type.outputType
            let end = offset + MemoryLayout<NodeHead<FailedFrame>>.size
            let stage = slot.shared == nil ? end.roundedUp(to: type.alignment) : nil
            places.append(Place(head: offset, stage: stage, receiver: slot.receiver))
            // Even an empty stage gets one byte, because its address could otherwise be after the end of this memory.
            offset = (stage.map { $0 + max(type.size, 1) } ?? end).roundedUp(to: 16)
            alignment = max(alignment, type.alignment)
        }
        guard let first = slots.first, tail.carries(carried) else {
            throw PipelineError.mistypedEdge(slots.last?.account.id ?? "")
        }
        receiver = first.receiver
        (self.places, size, self.alignment) = (places, offset, alignment)
    }

    /// - Parameter end: The object that receives the frames of the last stage.
    convenience init(_ slots: [StageSlot], taking input: any Payload.Type, end: any ReceivingObject) throws {
        try self.init(slots, taking: input, end: AnyLink(end), held: end)
    }

    /// Creates an instance for a stream. The caller must free it with ``free(_:)``.
    func make(for stream: StreamID) -> UnsafeMutableRawPointer {
        let memory = UnsafeMutableRawPointer.allocate(byteCount: max(size, 1), alignment: alignment)
        var next = tail
        for (slot, place) in zip(slots, places).reversed() {
            let stage = place.stage.map { memory + $0 }
            if let stage { slot.stage.initialize(at: stage) }
            if let stage = stage ?? slot.shared {
                let state = NodeState(slot, stage: stage, stream: stream)
                type(of: slot.stage).initialize(memory + place.head, state, next: next)
            }
            next = AnyLink(place.receiver, memory + place.head)
        }
        return memory
    }

    /// Moves the state of a stage from an instance of another chain into an instance of this chain. The other instance gets the
    /// state of a new stage. A stateless stage has nothing to move, but its node has.
    func adopt(
        _ index: Int, of memory: UnsafeMutableRawPointer, from other: Chain, _ position: Int,
        of old: UnsafeMutableRawPointer
    ) {
        let (state, from) = (state(index, of: memory), other.state(position, of: old))
        if slots[index].shared == nil { type(of: slots[index].stage).exchange(state.pointee.stage, from.pointee.stage) }
        state.pointee.adopt(from.pointee)
    }

    /// Returns whether a stage can take over the state of a stage of another chain: both must have the same type, and both
    /// or neither be stateless.
    func canAdopt(_ index: Int, from other: Chain, _ position: Int) -> Bool {
        let (slot, from) = (slots[index], other.slots[position])
        return type(of: slot.stage) == type(of: from.stage) && (slot.shared == nil) == (from.shared == nil)
    }

    /// Frees an instance.
    func free(_ memory: UnsafeMutableRawPointer) {
        for (index, place) in places.enumerated() {
            if let stage = place.stage { type(of: slots[index].stage).deinitialize(memory + stage) }
            state(index, of: memory).deinitialize(count: 1)
        }
        memory.deallocate()
    }

    private func state(_ index: Int, of memory: UnsafeMutableRawPointer) -> UnsafeMutablePointer<NodeState> {
        (memory + places[index].head).assumingMemoryBound(to: NodeState.self)
    }

    /// Returns the link to the first stage of an instance.
    func head(of memory: UnsafeMutableRawPointer) -> AnyLink { AnyLink(receiver, memory) }

    /// Returns a node of an instance.
    func node(_ index: Int, of memory: UnsafeMutableRawPointer) -> StageNode { StageNode(memory + places[index].head) }

    /// Returns all nodes of an instance, first to last.
    func nodes(of memory: UnsafeMutableRawPointer) -> [StageNode] { places.indices.map { node($0, of: memory) } }

    /// Returns the earliest wake-up that a stage of an instance has requested, with the node of that stage. If several stages
    /// request the same time, returns the first in the chain.
    func nextWake(of memory: UnsafeMutableRawPointer) -> (time: Timestamp, node: StageNode)? {
        var next: (time: Timestamp, node: StageNode)?
        for index in places.indices {
            let node = node(index, of: memory)
            if let time = node.wakeTime, time < next?.time ?? .never { next = (time, node) }
        }
        return next
    }

    /// Returns the timestamp of the first frame that any stage of an instance holds; `nil` if none holds a frame.
    ///
    /// See ``Stage/heldSince``.
    func heldSince(_ memory: UnsafeMutableRawPointer) -> Timestamp? {
        slots.indices.compactMap { heldSince($0, memory) }.min()
    }

    /// Returns the timestamp of the first frame that one stage of an instance holds; `nil` if it holds no frame.
    func heldSince(_ index: Int, _ memory: UnsafeMutableRawPointer) -> Timestamp? {
        type(of: slots[index].stage).heldSince(state(index, of: memory).pointee.stage)
    }

    /// Ends an instance: its stages finish, first to last.
    func finish(_ memory: UnsafeMutableRawPointer, at bound: Timestamp) {
        for index in places.indices { node(index, of: memory).finish(at: bound) }
    }
}

extension Stage {
    fileprivate static func takes(_ payload: any Payload.Type) -> Bool {
        ObjectIdentifier(Input.self) == ObjectIdentifier(payload)
    }

    fileprivate static var outputType: any Payload.Type { Output.self }
    static var size: Int { MemoryLayout<Self>.size }
    static var alignment: Int { max(16, MemoryLayout<Self>.alignment) }

    /// Creates the beginning of a node.
    fileprivate static func initialize(_ memory: UnsafeMutableRawPointer, _ state: NodeState, next: AnyLink) {
        memory.initializeMemory(
            as: NodeHead<Output>.self, to: NodeHead(state: state, next: next.carrying(Output.self)))
    }

    /// Copies the stage into memory.
    func initialize(at memory: UnsafeMutableRawPointer) { memory.initializeMemory(as: Self.self, to: self) }

    fileprivate static func exchange(_ one: UnsafeMutableRawPointer, _ other: UnsafeMutableRawPointer) {
        swap(&one.assumingMemoryBound(to: Self.self).pointee, &other.assumingMemoryBound(to: Self.self).pointee)
    }

    static func heldSince(_ stage: UnsafeMutableRawPointer) -> Timestamp? {
        stage.assumingMemoryBound(to: Self.self).pointee.heldSince
    }

    static func deinitialize(_ stage: UnsafeMutableRawPointer) {
        stage.assumingMemoryBound(to: Self.self).deinitialize(count: 1)
    }
}

extension Int {
    fileprivate func roundedUp(to alignment: Int) -> Int { (self + alignment - 1) / alignment * alignment }
}
