/// A piece of an input in memory, which moves on as it is read. Arrays are never changed once they are lent: what keeps a part of
/// one keeps it as it was.
struct ByteWindow {
    private let input: any ByteInput
    private let blockSize: Int
    private(set) var memory: [UInt8] = []
    /// Where in `memory` reading goes on.
    private(set) var place = 0
    /// Where in the input that is.
    private(set) var offset: UInt64 = 0
    private var isAtEnd = false

    init(_ input: any ByteInput, blockSize: Int = 1 << 20) {
        self.input = input
        self.blockSize = blockSize
    }

    /// How many bytes are there without reading.
    var available: Int { memory.count - place }

    /// How many bytes there are from here to the end of the input, if its size is known.
    var remaining: UInt64? { input.size.map { $0 > offset ? $0 - offset : 0 } }

    /// Passes over bytes that are there.
    @inline(__always)
    mutating func advance(_ count: Int) {
        place += count
        offset += UInt64(count)
    }

    /// Reads until so many bytes are there; false when the input ends before. Allocates no more than twice what has come.
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
                        // A pipe has brought what it had: do not wait for what is not asked for.
                        if used >= count, input.size == nil { break }
                    } catch {
                        failure = error
                        break
                    }
                }
            }
            if let failure { throw failure }
            (memory, place) = (filled, 0)
        }
        return true
    }

    /// Passes over bytes, however many; false when the input ends before.
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
