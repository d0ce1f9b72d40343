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
    private let descriptor: Int32?
    private let ownsDescriptor: Bool
    /// The longest line.
    let maxLineBytes: Int
    private let blockSize: Int
    private var room: InputMemory
    private var memory: UnsafeMutableRawPointer { room.base }
    /// What has been read and not lent: `memory[begin..<end]`; in `begin..<searched` there is no line feed.
    private var begin = 0
    private var searched = 0
    private var end = 0
    private var isAtEnd = false
    private var isAtBeginning = true
    private var isSkipping = false
    /// Where the document ends that begins at `begin`, as far as that has been looked for.
    private(set) var extent = MessagePackExtent()
    /// Where the documents of a block end, the last first: who cut it has found them.
    private var knownEnds: [Int] = []
    private var endsBroken = false
    private let waker: Waker?
    /// What unpacks what is read.
    private let unpacker: PackedInput?

    /// The number of the line lent last, from 1.
    private(set) var lineNumber = 0

    /// Whether the document lent last is none, so that nobody knows where the next one begins.
    private(set) var isBroken = false

    /// How many bytes have been read.
    private(set) var bytesRead: Int64 = 0

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

    /// Whether the next MessagePack document can be lent without waiting for input.
    var hasDocument: Bool { isAtEnd || extent.end(in: there) != .unfinished }

    /// What has been read and not lent.
    private var there: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: memory + begin, count: end - begin) }

    /// The next of MessagePack documents that stand one behind the other; `nil` at the end of the input, or when the waker ended a
    /// wait. What is cut off or broken is lent as it stands.
    func nextDocument() throws(SystemError) -> Line? {
        if descriptor == nil { return nextKnownDocument() }
        isAtBeginning = false
        while true {
            var count = end - begin
            isBroken = false
            switch extent.end(in: there) {
            case .bytes(let length): count = length
            case .broken: isBroken = true
            case .unfinished:
                if isAtEnd { break }
                if count > maxLineBytes {
                    // Let go what has come of a document that is too long, and all up to its end.
                    isSkipping = true
                    begin += extent.pass(count)
                }
                if try !fill() { return nil }
                continue
            }
            guard count > 0 || isSkipping else { return nil }
            extent.begin()
            return lend(count)
        }
    }

    private func nextKnownDocument() -> Line? {
        guard let end = knownEnds.popLast() else { return nil }
        isBroken = endsBroken && knownEnds.isEmpty
        return lend(end - begin)
    }

    /// Lends a document.
    private func lend(_ count: Int) -> Line {
        let document = UnsafeRawBufferPointer(rebasing: there[0..<count])
        begin += count
        searched = begin
        lineNumber += 1
        guard !isSkipping, count <= maxLineBytes else {
            isSkipping = false
            return .tooLong
        }
        return .bytes(document)
    }

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
    private func fill() throws(SystemError) -> Bool {
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
    private func move(to other: InputMemory) {
        other.base.copyMemory(from: memory + begin, byteCount: end - begin)
        room = other
        (searched, end, begin) = (max(0, searched - begin), end - begin, 0)
    }
}

// MARK: - Blocks

extension LineReader {
    /// Cuts off a block of whole lines: all that has been read, up to the last line feed; `nil` at the end of the input, or when
    /// the waker ended a wait.
    ///
    /// - Parameter memory: Where to read on; the block has the memory that was read into until now.
    func cutLines(readingOnIn memory: InputMemory) throws(SystemError) -> InputBlock? {
        while true {
            if let feed = lastLineFeed { return cut(at: feed + 1, memory) }
            if isAtEnd { return begin < end || isSkipping ? cut(at: end, memory) : nil }
            searched = end
            if end - begin > maxLineBytes {
                // Let go what has come of a line that is too long, and all up to its end.
                isSkipping = true
                begin = end
            }
            if try !fill() { return nil }
        }
    }

    /// The same of MessagePack documents that stand one behind the other. What is cut off or broken is a block's last.
    func cutDocuments(readingOnIn memory: InputMemory) throws(SystemError) -> InputBlock? {
        isAtBeginning = false
        var ends: [Int] = []
        var from = begin
        while true {
            let rest = UnsafeRawBufferPointer(start: self.memory + from, count: end - from)
            switch extent.end(in: rest) {
            case .bytes(let length):
                from += length
                ends.append(from)
                extent.begin()
                if from < end { continue }
            case .broken:
                isBroken = true
                ends.append(end)
            case .unfinished where ends.isEmpty && !isAtEnd:
                if rest.count > maxLineBytes {
                    isSkipping = true
                    begin += extent.pass(rest.count)
                }
                if try !fill() { return nil }
                from = begin
                continue
            case .unfinished where isAtEnd && (from < end || isSkipping && ends.isEmpty): ends.append(end)
            case .unfinished: break
            }
            guard let last = ends.last else { return nil }
            return cut(at: last, memory, ends: ends)
        }
    }

    private var lastLineFeed: Int? {
        var place = end
        while place > searched {
            place -= 1
            if memory.load(fromByteOffset: place, as: UInt8.self) == 0x0A { return place }
        }
        return nil
    }

    private func cut(at place: Int, _ other: InputMemory, ends: [Int] = []) -> InputBlock {
        let block = InputBlock(
            memory: room, range: begin..<place, place: bytesRead - Int64(end - place), ends: ends,
            isFirst: isAtBeginning, isSkipping: isSkipping,
            isBroken: isBroken)
        (isAtBeginning, isSkipping) = (false, false)
        (begin, searched) = (place, place)
        // What is left of a line mostly fits.
        move(to: other.capacity > end - begin ? other : InputMemory(2 * (end - begin)))
        return block
    }

    /// Lends the lines of a block that another reader has cut.
    func begin(_ block: InputBlock) {
        room = block.memory
        (begin, searched, end) = (block.range.lowerBound, block.range.lowerBound, block.range.upperBound)
        knownEnds = block.ends.reversed()
        (isAtBeginning, isSkipping, isBroken) = (block.isFirst, block.isSkipping, false)
        endsBroken = block.isBroken
        lineNumber = 0
    }
}
