import Pipeline

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Reads a descriptor and lends its lines where they lie, with ``JSONReader/padding`` readable bytes behind; or cuts it into
/// blocks of whole lines, which other readers lend.
///
/// Memory stays at one block, or what the longest line needs. A line feed ends a line, a carriage return before it
/// belongs to neither, and what stands behind the last line feed is a line too. A UTF-8 byte order mark at the very
/// beginning is skipped.
// Belongs to one source, which calls it from one thread at a time.
final class LineReader: @unchecked Sendable {
    /// A line, lent until the next call.
    enum Line {
        /// The bytes without the line's end.
        case bytes(UnsafeRawBufferPointer)

        /// A line longer than the limit, which was skipped.
        case tooLong
    }

    /// What is read; `nil` where blocks are lent that another reader has cut.
    let descriptor: Int32?
    private let ownsDescriptor: Bool
    /// The longest line.
    let maxLineBytes: Int
    let blockSize: Int
    var room: InputMemory
    var memory: UnsafeMutableRawPointer { room.base }
    /// What has been read and not lent: `memory[begin..<end]`; in `begin..<searched` there is no line feed.
    var begin = 0
    var searched = 0
    var end = 0
    var isAtEnd = false
    var isAtBeginning = true
    var isSkipping = false
    /// Where the document ends that begins at `begin`, as far as that has been looked for.
    var extent = MessagePackExtent()
    /// Where the documents of a block end, the last first: who cut it has found them.
    var knownEnds: [Int] = []
    var endsBroken = false
    private let waker: Waker?
    /// What unpacks what is read.
    private let unpacker: PackedInput?

    /// The number of the line lent last, from 1.
    var lineNumber = 0

    /// Whether the document lent last is none, so that nobody knows where the next one begins.
    var isBroken = false

    /// How many bytes have been read.
    var bytesRead: Int64 = 0

    /// Reads from a descriptor.
    ///
    /// - Parameters:
    ///   - ownsDescriptor: Whether to close it at the end.
    ///   - waker: What ends a wait for input; without it reading waits as long as it takes.
    ///   - packing: How it is packed; `nil` for not at all.
    init(
        descriptor: Int32, ownsDescriptor: Bool = true, maxLineBytes: Int = 64 << 20, blockSize: Int = 1 << 20,
        waker: Waker? = nil, packing: FilePacking? = nil
    ) {
        unpacker = packing.map { PackedInput($0) }
        self.descriptor = descriptor
        self.ownsDescriptor = ownsDescriptor
        self.maxLineBytes = maxLineBytes
        self.blockSize = max(16, blockSize)
        self.waker = waker
        room = InputMemory(self.blockSize)
    }

    /// Lends the lines of blocks that another reader has cut; see ``begin(_:)``.
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

    /// Opens a file and reads it, unpacked where its name says that it is packed.
    convenience init(opening path: String) throws(PipelineError) {
        self.init(descriptor: try SystemCalls.openToRead(path), packing: FilePacking(path: path))
    }

    deinit {
        if let descriptor, ownsDescriptor { close(descriptor) }
    }

    /// Whether the next line can be lent without waiting for input.
    var hasLine: Bool {
        if isAtEnd { return true }
        guard let feed = memchr(memory + searched, 0x0A, end - searched) else {
            searched = end
            return false
        }
        searched = feed - UnsafeMutableRawPointer(memory)
        return true
    }

    /// The first bytes of the input, at most a block, without taking them. Reads if nothing has been read.
    func peek() throws(SystemError) -> UnsafeRawBufferPointer {
        if begin == end, !isAtEnd { _ = try fill() }
        return there
    }

    /// The next line; `nil` at the end of the input, or when the waker ended a wait.
    func next() throws(SystemError) -> Line? {
        if isAtBeginning {
            isAtBeginning = false
            while end - begin < 3, !isAtEnd { if try !fill() { return nil } }
            if there.starts(with: [0xEF, 0xBB, 0xBF]) { begin += 3 }
            searched = max(searched, begin)
        }
        while true {
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
                // Let go what has come of a line that is too long, and all up to its end.
                isSkipping = true
                begin = end
                searched = end
            }
            if try !fill() { return nil }
        }
    }

    /// What has been read and not lent.
    var there: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: memory + begin, count: end - begin) }

    /// All that is left of the input at once; `nil` when it is longer than a line may be.
    func whole() throws(SystemError) -> UnsafeRawBufferPointer? {
        while !isAtEnd {
            guard end - begin <= maxLineBytes else { return nil }
            if try !fill() { break }
        }
        return end - begin <= maxLineBytes ? there : nil
    }

    private static func withoutReturn(_ line: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        line.last == 0x0D ? UnsafeRawBufferPointer(rebasing: line.dropLast()) : line
    }

    /// Reads a block behind what is there; false when the waker ended the wait.
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

    /// Goes on in other memory, with what has been read and not lent at its beginning.
    func move(to other: InputMemory) {
        other.base.copyMemory(from: memory + begin, byteCount: end - begin)
        room = other
        (searched, end, begin) = (max(0, searched - begin), end - begin, 0)
    }
}
