import Pipeline

/// Reads the messages of a file on several threads: a block of them each, cut where messages end.
///
/// What it brings, with the numbers of frames and of lines in errors, is what ``InputMessages`` brings, in the same order.
// Belongs to one source, which calls it from one thread at a time.
final class BlockReader<P: WirePayload>: @unchecked Sendable {
    private let lines: LineReader
    private let own: InputMessages<P>
    private let work: OrderedWork<DecodedBlock<P>, InputMessages<P>>
    private var counters = StreamCounters()
    /// The block that is handed on, and how far its events are.
    private var current: DecodedBlock<P>?
    private var event = 0
    private var recordsBefore = 0
    private var hasBegun = false

    /// How many bytes stand before what is handed on.
    private(set) var bytesRead: Int64 = 0

    /// Reads lines.
    ///
    /// - Parameters:
    ///   - helpers: How many threads decode beside the one that asks.
    ///   - decoder: Makes what decodes the messages of blocks, without numbering frames.
    init(
        _ lines: LineReader, helpers: Int, blockSize: Int, decoder: @escaping () throws -> InputMessages<P>
    ) throws {
        self.lines = lines
        let own = try decoder()
        self.own = own
        work = OrderedWork(
            own, helpers: helpers,
            .init(
                piece: { DecodedBlock(blockSize: blockSize) },
                worker: { try? decoder() },
                cut: { $0.cut(lines, isBinary: own.isBinary) },
                work: { $1.decode($0) }))
    }

    deinit { work.stop() }

    /// Moves what comes next into a batch until that is full or the input is over; false in the latter case.
    ///
    /// - Parameter path: The file that is read, for errors.
    func read(into batch: inout SourceBatch<P>, of path: String) throws -> Bool {
        while !batch.isFull {
            let next: DecodedBlock<P>?
            do { next = try nextBlock() } catch { throw error.reading(path) }
            guard let block = next else { return false }
            let end = event < block.events.count ? block.events[event].place : block.frames.count
            let count = min(end - block.frames.taken, batch.room)
            if count > 0 {
                batch.append(count, movingFrom: block.frames)
            } else {
                batch.append(block.events[event].what)
                event += 1
            }
        }
        return true
    }

    /// The next item; `nil` at the end.
    func next() throws(SystemError) -> ReadItem<P>? {
        guard let block = try nextBlock() else { return nil }
        guard event < block.events.count, block.events[event].place == block.frames.taken else {
            return .frame(block.frames.takeFirst())
        }
        defer { event += 1 }
        switch block.events[event].what {
        case .failure(let error, let stream): return .failure(error, stream)
        case .drop(let stream, let time, let number, _): return .empty(stream, time, number)
        case .end(let stream), .epoch(let stream): return .end(stream)
        // Messages say nothing of the kind.
        case .bound, .lost: return nil
        }
    }

    /// The block that has something left; `nil` at the end.
    private func nextBlock() throws(SystemError) -> DecodedBlock<P>? {
        while true {
            if let current {
                if current.frames.taken < current.frames.count || event < current.events.count { return current }
                recordsBefore += current.recordCount
                bytesRead = current.place
                current.clear()
                work.recycle(current)
                self.current = nil
            }
            if !hasBegun {
                hasBegun = true
                if !own.isBinary, let error = binaryError(in: try lines.peek()) {
                    let block = DecodedBlock<P>(blockSize: 0)
                    block.batch.fail(own.located(error, nil))
                    work.stop()
                    (current, event) = (block, 0)
                    continue
                }
            }
            guard let block = work.next() else {
                bytesRead = lines.bytesRead
                return nil
            }
            if let error = block.error { throw error }
            block.number(&counters)
            block.tell(own.origins, after: recordsBefore)
            block.locate { own.located($0, $1 + recordsBefore) }
            (current, event) = (block, 0)
        }
    }
}

/// A block of messages, and then what they say.
// Belongs to who works on it.
final class DecodedBlock<P: WirePayload>: @unchecked Sendable {
    private let blockSize: Int
    private var memory: InputMemory?
    private var block: InputBlock?
    /// Of every failure in the batch the number of its message in the block.
    private var failed: [Int] = []
    /// The same of every frame, if frames are told.
    private var told: [Int] = []
    fileprivate var batch = SourceBatch<P>(limit: .max)

    /// How many lines or messages it has.
    private(set) var recordCount = 0

    /// Where it ends in the input, in bytes.
    private(set) var place: Int64 = 0

    /// Why the input could not be read on.
    private(set) var error: SystemError?

    var frames: FrameBuffer<Frame<P>> { batch.frames }
    var events: [SourceEvent] { batch.events }

    /// Has room for so many bytes.
    init(blockSize: Int) { self.blockSize = blockSize }

    /// Takes the next block of an input; false when it is the last.
    func cut(_ lines: LineReader, isBinary: Bool) -> Bool {
        let memory = memory ?? InputMemory(blockSize)
        self.memory = nil
        do {
            block = isBinary ? try lines.cutDocuments(readingOnIn: memory) : try lines.cutLines(readingOnIn: memory)
        } catch {
            self.error = error
        }
        guard let block else { return false }
        place = block.place
        return !block.isBroken
    }

    /// Decodes its messages.
    func decode(_ messages: InputMessages<P>) {
        guard let block else { return }
        (failed, told, recordCount) = messages.read(block, into: &batch)
        // One huge message must not hold its memory forever.
        if block.memory.capacity <= 4 * blockSize { memory = block.memory }
        self.block = nil
    }

    /// Numbers the frames that have no number.
    func number(_ counters: inout StreamCounters) {
        var place = 0
        func go(to end: Int) {
            frames.change(place..<end) { frame in
                if frame.sequence == StreamCounters.none { frame.sequence = counters.next(of: frame.stream) }
            }
            place = end
        }
        for event in events {
            guard case .end(let stream) = event.what else { continue }
            go(to: event.place)
            counters.forget(stream)
        }
        go(to: frames.count)
    }

    /// Tells frames where in the input they are, behind so many lines or messages of other blocks.
    func tell(_ origins: FileOrigins, after recordsBefore: Int) {
        var number = 0
        frames.change(told.indices) { frame in
            frame = origins.told(frame, line: told[number] + recordsBefore)
            number += 1
        }
    }

    /// Says of failures where in the input they are.
    func locate(_ located: (PipelineError, Int) -> PipelineError) {
        guard !failed.isEmpty else { return }
        var number = 0
        batch.changeFailures { error in
            defer { number += 1 }
            return located(error, failed[number])
        }
    }

    /// Makes it ready to take another block.
    func clear() {
        batch.removeAll()
        (failed, told) = ([], [])
        recordCount = 0
    }
}
