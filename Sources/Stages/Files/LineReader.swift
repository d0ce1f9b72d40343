import Pipeline

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Reads a descriptor in blocks and lends its lines where they lie, with ``JSONReader/padding`` readable bytes behind.
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

    private let descriptor: Int32
    private let ownsDescriptor: Bool
    /// The longest line.
    let maxLineBytes: Int
    private let blockSize: Int
    private var memory: UnsafeMutableRawPointer
    private var capacity: Int
    /// What has been read and not lent: `memory[begin..<end]`; in `begin..<searched` there is no line feed.
    private var begin = 0
    private var searched = 0
    private var end = 0
    private var isAtEnd = false
    private var isAtBeginning = true
    private var isSkipping = false
    /// Where the document ends that begins at `begin`, as far as that has been looked for.
    private(set) var extent = MessagePackExtent()
    private let waker: Waker?

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
    init(
        descriptor: Int32, ownsDescriptor: Bool = true, maxLineBytes: Int = 64 << 20, blockSize: Int = 1 << 20,
        waker: Waker? = nil
    ) {
        self.descriptor = descriptor
        self.ownsDescriptor = ownsDescriptor
        self.maxLineBytes = maxLineBytes
        self.blockSize = max(16, blockSize)
        self.waker = waker
        capacity = self.blockSize
        memory = .allocate(byteCount: capacity + JSONReader.padding, alignment: 64)
        // The padding is read by the parser, though never looked at.
        memory.initializeMemory(as: UInt8.self, repeating: 0, count: capacity + JSONReader.padding)
    }

    deinit {
        memory.deallocate()
        if ownsDescriptor { close(descriptor) }
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
            let document = UnsafeRawBufferPointer(rebasing: there[0..<count])
            extent.begin()
            begin += count
            searched = begin
            lineNumber += 1
            guard !isSkipping, count <= maxLineBytes else {
                isSkipping = false
                return .tooLong
            }
            return .bytes(document)
        }
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
        if begin > 0 {
            memory.copyMemory(from: memory + begin, byteCount: end - begin)
            searched -= begin
            end -= begin
            begin = 0
        }
        if end == capacity {
            let larger = UnsafeMutableRawPointer.allocate(
                byteCount: capacity * 2 + JSONReader.padding, alignment: 64)
            larger.initializeMemory(as: UInt8.self, repeating: 0, count: capacity * 2 + JSONReader.padding)
            larger.copyMemory(from: memory, byteCount: end)
            memory.deallocate()
            memory = larger
            capacity *= 2
        }
        if let waker, !waker.waitForInput(on: descriptor) { return false }
        let count = try SystemCalls.read(descriptor, into: memory + end, count: min(blockSize, capacity - end)).get()
        if count == 0 { isAtEnd = true }
        end += count
        bytesRead += Int64(count)
        return true
    }
}

/// Ends a wait for input from another thread: a pipe to oneself.
final class Waker: Sendable {
    private let readEnd: Int32
    private let writeEnd: Int32

    /// Makes a pipe.
    init() throws {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else {
            throw PipelineError.environment("system.pipe", "no pipe could be made: \(systemMessage(errno))")
        }
        (readEnd, writeEnd) = (ends[0], ends[1])
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    }

    deinit {
        close(readEnd)
        close(writeEnd)
    }

    /// Ends the wait, and every later one.
    func wake() {
        var byte: UInt8 = 1
        _ = write(writeEnd, &byte, 1)
    }

    /// Waits until there is something to read, or the end of the input; false when woken instead.
    func waitForInput(on descriptor: Int32) -> Bool {
        while true {
            var watched = [
                pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
                pollfd(fd: readEnd, events: Int16(POLLIN), revents: 0),
            ]
            let count = poll(&watched, 2, -1)
            if count < 0, errno == EINTR { continue }
            return watched[1].revents == 0
        }
    }
}
