import Pipeline

/// A reader that decodes the messages of a file on several threads. Each thread decodes one block of messages at a time. Blocks are
/// cut at message boundaries.
///
/// The frames, their numbers, and the line numbers in errors are the same as those of ``InputMessages``, in the same order.
// `@unchecked Sendable`: one source owns the reader and calls it from one thread at a time.
final class BlockReader<P: WirePayload>: @unchecked Sendable {
    private let lines: LineReader
    /// The decoder of the calling thread.
    private let own: InputMessages<P>
    private let work: OrderedWork<DecodedBlock<P>, InputMessages<P>>
    private var counters = StreamCounters()
    /// The block whose frames and events are being returned, and the index of its next event.
    private var current: DecodedBlock<P>?
    private var event = 0
    /// The number of lines or messages in the blocks before the current one.
    private var recordsBefore = 0
    private var hasBegun = false

    /// The number of input bytes before the current block.
    private(set) var bytesRead: Int64 = 0

    /// Creates a reader of lines or messages.
    ///
    /// - Parameters:
    ///   - helpers: The number of threads that decode in addition to the calling thread.
    ///   - blockSize: The target size of a block, in bytes.
    ///   - decoder: Creates the decoder of a thread. The decoder must not number frames, because it does not see all messages of a
    ///     stream.
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

    /// Moves the next frames and events into a batch until the batch is full or the input ends. Returns `false` at the end of the
    /// input.
    ///
    /// - Parameter path: The path of the file, for errors.
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

    /// Returns the next item, or `nil` at the end.
    func next() throws(SystemError) -> ReadItem<P>? {
        guard let block = try nextBlock() else { return nil }
        guard event < block.events.count, block.events[event].place == block.frames.taken else {
            return .frame(block.frames.takeFirst())
        }
        defer { event += 1 }
        switch block.events[event].what {
        case .failure(let error, let stream): return .failure(error, stream)
        case .drop(let stream, let time, let number, _): return .empty(stream, time, number)
        case .end(let stream, let end): return .end(stream, end)
        // Messages do not produce these events.
        case .bound, .lost: return nil
        }
    }

    /// Returns the first block that still has frames or events, or `nil` at the end.
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
            block.setOrigins(own.origins, after: recordsBefore)
            block.locate { own.located($0, $1 + recordsBefore) }
            (current, event) = (block, 0)
        }
    }
}

/// A block of messages: first the undecoded bytes, then the frames and events decoded from them.
// `@unchecked Sendable`: only the thread that works on the block uses it.
final class DecodedBlock<P: WirePayload>: @unchecked Sendable {
    private let blockSize: Int
    private var memory: InputMemory?
    private var block: InputBlock?
    /// For each failure in the batch, the number of its message in the block.
    private var failed: [Int] = []
    /// For each frame in the batch, the number of its message in the block. Empty unless frames carry their origins.
    private var originNumbers: [Int] = []
    fileprivate var batch = SourceBatch<P>(limit: .max)

    /// The number of lines or messages in the block.
    private(set) var recordCount = 0

    /// The end of the block in the input, in bytes.
    private(set) var place: Int64 = 0

    /// The error that prevented the next block from being read.
    private(set) var error: SystemError?

    var frames: FrameBuffer<Frame<P>> { batch.frames }
    var events: [SourceEvent] { batch.events }

    /// Creates an empty block for about `blockSize` bytes.
    init(blockSize: Int) { self.blockSize = blockSize }

    /// Reads the next block of an input. Returns `false` if no block follows it. At the end of the input, the block stays empty.
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

    /// Decodes the messages of the block into frames and events.
    func decode(_ messages: InputMessages<P>) {
        guard let block else { return }
        (failed, originNumbers, recordCount) = messages.read(block, into: &batch)
        // Do not keep the memory of a huge message for the blocks that follow.
        if block.memory.capacity <= 4 * blockSize { memory = block.memory }
        self.block = nil
    }

    /// Assigns sequence numbers to the frames that have none.
    func number(_ counters: inout StreamCounters) {
        var place = 0
        func go(to end: Int) {
            frames.change(place..<end) { frame in
                if frame.sequence == StreamCounters.none { frame.sequence = counters.next(of: frame.stream) }
            }
            place = end
        }
        for event in events {
            guard case .end(let stream, _) = event.what else { continue }
            go(to: event.place)
            counters.forget(stream)
        }
        go(to: frames.count)
    }

    /// Sets the file and the line in the origins of the frames. `recordsBefore` is the number of lines or messages in earlier
    /// blocks.
    func setOrigins(_ origins: FileOrigins, after recordsBefore: Int) {
        var number = 0
        frames.change(originNumbers.indices) { frame in
            frame = origins.recording(frame, line: originNumbers[number] + recordsBefore)
            number += 1
        }
    }

    /// Adds the location in the input to each failure.
    func locate(_ located: (PipelineError, Int) -> PipelineError) {
        guard !failed.isEmpty else { return }
        var number = 0
        batch.changeFailures { error in
            defer { number += 1 }
            return located(error, failed[number])
        }
    }

    /// Prepares the block to be filled again.
    func clear() {
        batch.removeAll()
        (failed, originNumbers) = ([], [])
        recordCount = 0
    }
}
