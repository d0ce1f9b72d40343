import CZlib
import CZstd

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Decompresses a file and remembers the last place at which it could be continued.
final class CompressedScan {
    /// A place at which a part can end.
    struct Mark {
        /// The number of bytes in the file before the place, and the bytes that end the part there.
        var length: Int64 = 0
        var ending: [UInt8] = []
        /// The number of decompressed bytes before the place, and before the end of the last whole record.
        var count: Int64 = 0
        var recordEnd: Int64 = 0
    }

    /// The largest number of bytes that are kept to be written again.
    private static var mostRest: Int { 64 << 20 }

    private let packing: FileCompression
    private let descriptor: Int32
    private(set) var marked = Mark()
    private(set) var records: RecordEnd
    /// The decompressed bytes behind the mark.
    private(set) var rest: [UInt8] = []
    private(set) var isRestTooLarge = false
    private var part: CompressedPart

    /// The bytes of the file that have been read but not decompressed are `input[begin..<end]`. A block of Zstandard fits
    /// into it.
    private var input = [UInt8](repeating: 0, count: 1 << 18)
    private var begin = 0
    private var end = 0
    /// The position of `begin` in the file.
    private var place: Int64 = 0
    private var output = [UInt8](repeating: 0, count: 1 << 17)
    private var zip = z_stream()
    private var zstd: OpaquePointer?

    init(_ descriptor: Int32, _ packing: FileCompression, isBinary: Bool) {
        (self.descriptor, self.packing) = (descriptor, packing)
        records = RecordEnd(isBinary: isBinary)
        part = CompressedPart(packing)
    }

    deinit {
        if packing == .gzip { inflateEnd(&zip) }
        if let zstd { ZSTD_freeDCtx(zstd) }
    }

    /// Makes the next `count` bytes of the file available. Returns false if the file ends before.
    private func has(_ count: Int) throws(SystemError) -> Bool {
        while end - begin < count {
            if begin > 0 {
                input.removeFirst(begin)
                input.append(contentsOf: repeatElement(0, count: begin))
                (begin, end) = (0, end - begin)
            }
            let free = end
            let got: Result<Int, SystemError> = input.withUnsafeMutableBytes { input in
                guard let base = input.baseAddress else { return .success(0) }
                return SystemCalls.read(descriptor, into: base + free, count: input.count - free)
            }
            let size = try got.get()
            guard size > 0 else { return false }
            end += size
        }
        return true
    }

    private func pass(_ count: Int) {
        begin += count
        place += Int64(count)
    }

    /// Takes the first `count` bytes of `output`.
    private func take(_ count: Int) {
        guard count > 0 else { return }
        output.withUnsafeBytes { output in
            let bytes = UnsafeRawBufferPointer(rebasing: output[..<count])
            part.add(bytes)
            records.take(bytes)
            if rest.count + count > Self.mostRest { isRestTooLarge = true }
            if !isRestTooLarge { rest.append(contentsOf: bytes) }
        }
    }

    /// Remembers the current place. `ending` are the bytes that end the part here.
    private func mark(_ ending: [UInt8]) {
        marked = Mark(length: place, ending: ending, count: records.count, recordEnd: records.end)
        rest.removeAll(keepingCapacity: true)
        isRestTooLarge = false
    }

    // MARK: - gzip

    /// Decompresses all members of a gzip file, block by block.
    func scanMembers() throws(SystemError) {
        // A window of 15 bits, plus 16 for a gzip header.
        guard inflateInit2_(&zip, 15 + 16, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK else {
            throw SystemError(number: ENOMEM)
        }
        var isInside = false
        while try has(1) {
            if !isInside {
                inflateReset(&zip)
                part = CompressedPart(.gzip)
                isInside = true
            }
            while true {
                let (result, made) = inflateBlock()
                guard [Z_OK, Z_STREAM_END, Z_BUF_ERROR].contains(result) else { throw SystemError(number: EBADMSG) }
                take(made)
                if result == Z_STREAM_END {
                    isInside = false
                    mark([])
                    break
                }
                // zlib stops behind each block. Where a block ends at a whole byte, an empty last block can follow.
                let isBehindBlock = zip.data_type & 0xC0 == 0x80
                if isBehindBlock, zip.data_type & 0x1F == 0, records.isAtEnd { mark(part.ending()) }
                if begin == end, !isBehindBlock, made < output.count { break }
                if result == Z_BUF_ERROR {
                    guard begin == end else { throw SystemError(number: EBADMSG) }
                    break
                }
            }
        }
    }

    private func inflateBlock() -> (result: Int32, made: Int) {
        input.withUnsafeMutableBufferPointer { input in
            output.withUnsafeMutableBufferPointer { output in
                zip.next_in = input.baseAddress.map { $0 + begin }
                zip.avail_in = UInt32(end - begin)
                zip.next_out = output.baseAddress
                zip.avail_out = UInt32(output.count)
                let result = CZlib.inflate(&zip, Z_BLOCK)
                pass(end - begin - Int(zip.avail_in))
                return (result, output.count - Int(zip.avail_out))
            }
        }
    }

    // MARK: - Zstandard

    /// Decompresses all frames of a Zstandard file, block by block (RFC 8878, 3.1).
    func scanFrames() throws(SystemError) {
        zstd = ZSTD_createDCtx()
        guard let zstd else { throw SystemError(number: ENOMEM) }
        // The largest window that ``DecompressingReader`` allows.
        ZSTD_DCtx_setParameter(zstd, ZSTD_d_windowLogMax, 27)
        while try has(5) {
            let magic = number(4)
            if magic & 0xFFFF_FFF0 == 0x184D_2A50 {
                guard try skipFrame() else { return }
            } else if magic == 0xFD2F_B528 {
                guard try scanFrame() else { return }
            } else {
                throw SystemError(number: EBADMSG)
            }
        }
    }

    /// Passes over a frame without content. Returns false if the file ends in it.
    private func skipFrame() throws(SystemError) -> Bool {
        guard try has(8) else { return false }
        pass(4)
        var left = number(4)
        pass(4)
        while left > 0 {
            guard try has(1) else { return false }
            let count = min(left, end - begin)
            pass(count)
            left -= count
        }
        mark([])
        return true
    }

    /// Decompresses a frame. Returns false if the file ends in it.
    private func scanFrame() throws(SystemError) -> Bool {
        let flags = input[begin + 4]
        let isSingle = flags & 0x20 != 0
        let hasChecksum = flags & 0x04 != 0
        let sizeFlag = Int(flags >> 6)
        // A frame that promises the size of its content cannot end early.
        let canEnd = sizeFlag == 0 && !isSingle
        let sizeBytes = sizeFlag == 0 ? (isSingle ? 1 : 0) : 1 << sizeFlag
        let header = 5 + (isSingle ? 0 : 1) + [0, 1, 2, 4][Int(flags & 0x03)] + sizeBytes
        guard try has(header) else { return false }
        ZSTD_DCtx_reset(zstd, ZSTD_reset_session_only)
        part = CompressedPart(.zstd)
        try unpack(header)
        var isLast = false
        while !isLast {
            guard try has(3) else { return false }
            let block = number(3)
            isLast = block & 1 == 1
            let type = block >> 1 & 3
            let size = type == 1 ? 1 : block >> 3
            guard type < 3, size <= 1 << 17 else { throw SystemError(number: EBADMSG) }
            guard try has(3 + size) else { return false }
            try unpack(3 + size)
            if canEnd, !isLast, records.isAtEnd { mark(part.ending(hasChecksum: hasChecksum)) }
        }
        if hasChecksum {
            guard try has(4) else { return false }
            try unpack(4)
        }
        mark([])
        return true
    }

    /// Returns the little-endian number in the next `count` bytes, which must be available.
    private func number(_ count: Int) -> Int {
        input[begin..<(begin + count)].reversed().reduce(0) { $0 << 8 | Int($1) }
    }

    /// Decompresses the next `count` bytes, which must be available.
    private func unpack(_ count: Int) throws(SystemError) {
        var taken = 0
        while true {
            let (result, passed, made) = input.withUnsafeBytes { input in
                output.withUnsafeMutableBytes { output in
                    var from = ZSTD_inBuffer(src: input.baseAddress.map { $0 + begin }, size: count, pos: taken)
                    var to = ZSTD_outBuffer(dst: output.baseAddress, size: output.count, pos: 0)
                    return (ZSTD_decompressStream(zstd, &to, &from), from.pos, to.pos)
                }
            }
            guard ZSTD_isError(result) == 0 else { throw SystemError(number: EBADMSG) }
            let isStuck = passed == taken && made == 0
            taken = passed
            take(made)
            if taken == count, made < output.count { break }
            if isStuck { throw SystemError(number: EBADMSG) }
        }
        pass(count)
    }
}
