/// A window onto an input that moves forward as the input is read. The array in `memory` is replaced and never modified, so a slice
/// of it stays valid.
struct ByteWindow {
    private let input: any ByteInput
    private let blockSize: Int
    private(set) var memory: [UInt8] = []
    /// The position in `memory` of the next unread byte.
    private(set) var place = 0
    /// The position in the input of the next unread byte.
    private(set) var offset: UInt64 = 0
    private var isAtEnd = false

    init(_ input: any ByteInput, blockSize: Int = 1 << 20) {
        self.input = input
        self.blockSize = blockSize
    }

    /// The number of unread bytes in memory.
    var available: Int { memory.count - place }

    /// The number of bytes from here to the end of the input, or `nil` if the input's size is unknown.
    var remaining: UInt64? { input.size.map { $0 > offset ? $0 - offset : 0 } }

    /// Moves forward over bytes that are in memory.
    @inline(__always)
    mutating func advance(_ count: Int) {
        place += count
        offset += UInt64(count)
    }

    /// Reads until `count` bytes are available. Returns `false` if the input ends first. A large allocation is at most twice as
    /// large as the bytes that have arrived, so that a wrong length cannot exhaust memory.
    mutating func require(_ count: Int) throws(MCAPError) -> Bool {
        while available < count {
            if isAtEnd { return false }
            let rest = memory[place...]
            let size = count <= blockSize ? blockSize : min(count, max(2 * rest.count, blockSize))
            var failure: MCAPError?
            let filled = [UInt8](unsafeUninitializedCapacity: size) { room, used in
                _ = room.initialize(fromContentsOf: rest)
                used = rest.count
                while used < size {
                    let free = UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(room)[used...])
                    do throws(MCAPError) {
                        let got = try input.read(into: free)
                        if got == 0 { isAtEnd = true; break }
                        used += got
                        // A pipe may block. Do not wait for more bytes than the caller needs.
                        if used >= count, input.size == nil { break }
                    } catch {
                        failure = error
                        break
                    }
                }
            }
            // Keep what was read even if the next read failed, so that a later call continues at the right place.
            (memory, place) = (filled, 0)
            if let failure { throw failure }
        }
        return true
    }

    /// Moves forward over any number of bytes, in memory or not. Returns `false` if the input ends first.
    mutating func skip(_ count: UInt64) throws(MCAPError) -> Bool {
        var left = count
        while left > UInt64(available) {
            left -= UInt64(available)
            advance(available)
            guard try require(1) else { return false }
        }
        advance(Int(left))
        return true
    }
}
