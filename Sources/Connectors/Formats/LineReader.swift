import Pipeline

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Reads a file descriptor and lends its lines, or its MessagePack documents, in place, with ``JSONReader/padding`` readable bytes
/// after each. Alternatively, it cuts the input into blocks of whole lines or documents, which other readers then lend.
///
/// It needs memory for one block, or for the longest line. A line feed ends a line. A carriage return before it is not part of the
/// line. Text after the last line feed is also a line. A UTF-8 byte order mark at the very beginning is skipped.
// Belongs to one source, which calls it from one thread at a time.
final class LineReader: @unchecked Sendable {
    /// A line that is lent until the next call.
    enum Line {
        /// The bytes of the line, without its line ending.
        case bytes(UnsafeRawBufferPointer)

        /// A line longer than the limit. It is reported as soon as more bytes have arrived than the limit allows, and its rest is
        /// skipped.
        case tooLong
    }

    /// The descriptor to read from. `nil` in a reader that lends blocks cut by another reader.
    let descriptor: Int32?
    private let ownsDescriptor: Bool
    /// The maximum length of a line, in bytes.
    let maxLineBytes: Int
    let blockSize: Int
    var room: InputMemory
    var memory: UnsafeMutableRawPointer { room.base }
    /// The bytes that have been read but not lent are `memory[begin..<end]`. There is no line feed in `begin..<searched`.
    var begin = 0
    var searched = 0
    var end = 0
    var isAtEnd = false
    var isAtBeginning = true
    /// Whether the next block begins in a line or document that is too long, so that the reader of the block reports it.
    var isSkipping = false
    /// Whether the input continues in a line or document that was reported as too long.
    var isDiscarding = false
    /// The search for the end of the document that begins at `begin`.
    var extent = MessagePackExtent()
    /// The ends of the block's documents, the last one first. The reader that cut the block found them.
    var knownEnds: [Int] = []
    /// Whether the last document of the block is invalid.
    var endsBroken = false
    private let waker: Waker?
    /// The decompressor of the input. `nil` if the input is not compressed.
    private let unpacker: DecompressingReader?

    /// The number of the line lent last, counted from 1.
    var lineNumber = 0

    /// Whether the document lent last is invalid, so that the beginning of the next document is unknown.
    var isBroken = false

    /// The number of bytes read so far.
    var bytesRead: Int64 = 0

    /// Creates a reader of a descriptor.
    ///
    /// - Parameters:
    ///   - descriptor: The descriptor to read from.
    ///   - ownsDescriptor: Whether to close the descriptor when the reader is released.
    ///   - maxLineBytes: The maximum length of a line, in bytes.
    ///   - blockSize: The number of bytes to read at once.
    ///   - waker: Ends a wait for input. Without a waker, a read waits without limit.
    ///   - packing: The compression of the input; `nil` for none.
    init(
        descriptor: Int32, ownsDescriptor: Bool = true, maxLineBytes: Int = 64 << 20, blockSize: Int = 1 << 20,
        waker: Waker? = nil, packing: FileCompression? = nil
    ) {
        unpacker = packing.map { DecompressingReader($0) }
        self.descriptor = descriptor
        self.ownsDescriptor = ownsDescriptor
        self.maxLineBytes = maxLineBytes
        self.blockSize = max(16, blockSize)
        self.waker = waker
        room = InputMemory(self.blockSize)
    }

    /// Creates a reader that lends the lines of blocks cut by another reader; see ``begin(_:)``.
    init(maxLineBytes: Int) {
        descriptor = nil
        ownsDescriptor = false
        self.maxLineBytes = maxLineBytes
        blockSize = 0
        waker = nil
        unpacker = nil
        room = InputMemory(0)
        isAtEnd = true
    }

    /// Opens a file for reading. Decompresses it if the file name indicates compression.
    convenience init(opening path: String) throws(PipelineError) {
        self.init(descriptor: try SystemCalls.openToRead(path), packing: FileCompression(path: path))
    }

    deinit {
        if let descriptor, ownsDescriptor { close(descriptor) }
    }

    /// Whether the next line can be lent without waiting for input.
    var hasLine: Bool {
        if isAtEnd { return true }
        guard discardLine(), let feed = memchr(memory + searched, 0x0A, end - searched) else {
            searched = end
            return false
        }
        searched = feed - UnsafeMutableRawPointer(memory)
        return true
    }

    /// Returns the first bytes of the input, at most one block, without consuming them. Reads a block if nothing has been read.
    func peek() throws(SystemError) -> UnsafeRawBufferPointer {
        if begin == end, !isAtEnd { _ = try fill() }
        return unlent
    }

    /// Returns the next line. Returns `nil` at the end of the input, or if the waker ended a wait.
    func next() throws(SystemError) -> Line? {
        if isAtBeginning {
            isAtBeginning = false
            while end - begin < 3, !isAtEnd { if try !fill() { return nil } }
            if unlent.starts(with: [0xEF, 0xBB, 0xBF]) { begin += 3 }
            searched = max(searched, begin)
        }
        while true {
            guard discardLine() else {
                if isAtEnd { return nil }
                if try !fill() { return nil }
                continue
            }
            if let feed = memchr(memory + searched, 0x0A, end - searched) {
                let place = feed - UnsafeMutableRawPointer(memory)
                let line = UnsafeRawBufferPointer(start: memory + begin, count: place - begin)
                begin = place + 1
                searched = begin
                lineNumber += 1
                if isSkipping || line.count > maxLineBytes {
                    isSkipping = false
                    return .tooLong
                }
                return .bytes(Self.withoutReturn(line))
            }
            searched = end
            if isAtEnd {
                guard begin < end || isSkipping else { return nil }
                let line = UnsafeRawBufferPointer(start: memory + begin, count: end - begin)
                begin = end
                lineNumber += 1
                if isSkipping || line.count > maxLineBytes {
                    isSkipping = false
                    return .tooLong
                }
                return .bytes(Self.withoutReturn(line))
            }
            if end - begin > maxLineBytes {
                isDiscarding = true
                lineNumber += 1
                return .tooLong
            }
            if try !fill() { return nil }
        }
    }

    /// Discards what has arrived of a line that was reported as too long. Returns false if the end of that line has not arrived.
    private func discardLine() -> Bool {
        guard isDiscarding else { return true }
        if let feed = memchr(memory + searched, 0x0A, end - searched) {
            begin = feed + 1 - UnsafeMutableRawPointer(memory)
            isDiscarding = false
        } else {
            begin = end
        }
        searched = begin
        return !isDiscarding
    }

    /// The bytes that have been read but not lent.
    var unlent: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: memory + begin, count: end - begin) }

    /// Returns the rest of the input at once. Returns `nil` if it is longer than the maximum line. If the waker ends a wait,
    /// returns only what has been read.
    func whole() throws(SystemError) -> UnsafeRawBufferPointer? {
        while !isAtEnd {
            guard end - begin <= maxLineBytes else { return nil }
            if try !fill() { break }
        }
        return end - begin <= maxLineBytes ? unlent : nil
    }

    private static func withoutReturn(_ line: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        line.last == 0x0D ? UnsafeRawBufferPointer(rebasing: line.dropLast()) : line
    }

    /// Reads a block and appends it to the bytes in memory. Returns false if the waker ended the wait.
    func fill() throws(SystemError) -> Bool {
        guard let descriptor else { return false }
        if begin > 0 {
            memory.copyMemory(from: memory + begin, byteCount: end - begin)
            searched -= begin
            end -= begin
            begin = 0
        }
        if end == room.capacity { move(to: InputMemory(room.capacity * 2)) }
        if let waker, !waker.waitForInput(on: descriptor) { return false }
        let free = min(blockSize, room.capacity - end)
        let count =
            if let unpacker { try unpacker.read(descriptor, into: memory + end, count: free) } else {
                try SystemCalls.read(descriptor, into: memory + end, count: free).get()
            }
        if count == 0 { isAtEnd = true }
        end += count
        bytesRead += Int64(count)
        return true
    }

    /// Continues in other memory. Moves the bytes that have been read but not lent to its beginning.
    func move(to other: InputMemory) {
        other.base.copyMemory(from: memory + begin, byteCount: end - begin)
        room = other
        (searched, end, begin) = (max(0, searched - begin), end - begin, 0)
    }
}
