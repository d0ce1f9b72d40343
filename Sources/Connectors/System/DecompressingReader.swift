import CZlib
import CZstd

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Decompresses a file while it is read. Compressed members that follow each other in the file are read as one.
// `@unchecked Sendable`: owned by one reader, which uses it from one thread at a time.
final class DecompressingReader: @unchecked Sendable {
    private let packing: FileCompression
    private var zip = z_stream()
    private var zstd: OpaquePointer?
    /// A buffer for compressed data from the file.
    private let room = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 16)
    /// The range of `room` that has been read from the file but not decompressed yet.
    private var rest = 0..<0
    /// Whether a compressed member has started but not ended.
    private var isInside = false
    private var isAtEnd = false
    /// The number of bytes that Zstandard wants next: the rest of a block, and the beginning of the next block.
    private var wanted = 0
    /// Whether Zstandard may have output of earlier input, for which there was no room.
    private var holdsMore = false

    init(_ packing: FileCompression) {
        self.packing = packing
        switch packing {
        // A window of 15 bits, plus 32 to detect a gzip or zlib header.
        case .gzip: inflateInit2_(&zip, 15 + 32, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
        case .zstd:
            zstd = ZSTD_createDCtx()
            // Limits the window to 128 MiB, whatever size a file asks for.
            if let zstd { ZSTD_DCtx_setParameter(zstd, ZSTD_d_windowLogMax, 27) }
        }
    }

    deinit {
        if packing == .gzip { inflateEnd(&zip) }
        if let zstd { ZSTD_freeDCtx(zstd) }
        room.deallocate()
    }

    /// Reads the bytes that are available, at most `count`. Returns 0 at the end.
    ///
    /// - Throws: `EBADMSG` when the data cannot be decompressed or is truncated, after all bytes before the damage were returned.
    func read(
        _ descriptor: Int32, into memory: UnsafeMutableRawPointer, count: Int
    ) throws(SystemError) -> Int {
        while true {
            if rest.isEmpty, !isAtEnd {
                guard let base = room.baseAddress else { return 0 }
                let got = try SystemCalls.read(descriptor, into: base, count: room.count).get()
                rest = 0..<got
                isAtEnd = got == 0
            }
            if rest.isEmpty, !isInside { return 0 }
            let before = rest.count
            let made = packing == .gzip ? try inflate(memory, count) : try unpack(memory, count)
            if made > 0 { return made }
            // The data is truncated: the file contains no more input, and what was read of it produces no more output.
            if isAtEnd, before == 0 { throw SystemError(number: EBADMSG) }
        }
    }

    private func inflate(_ memory: UnsafeMutableRawPointer, _ count: Int) throws(SystemError) -> Int {
        if !isInside, !rest.isEmpty {
            inflateReset(&zip)
            isInside = true
        }
        zip.next_in = room.baseAddress.map { ($0 + rest.lowerBound).assumingMemoryBound(to: UInt8.self) }
        zip.avail_in = UInt32(rest.count)
        zip.next_out = memory.assumingMemoryBound(to: UInt8.self)
        zip.avail_out = UInt32(clamping: count)
        let result = CZlib.inflate(&zip, Z_NO_FLUSH)
        rest = (rest.upperBound - Int(zip.avail_in))..<rest.upperBound
        let made = min(count, Int(UInt32.max)) - Int(zip.avail_out)
        // After a failure, each further call fails and produces nothing.
        guard made > 0 || [Z_OK, Z_STREAM_END, Z_BUF_ERROR].contains(result) else { throw SystemError(number: EBADMSG) }
        if result == Z_STREAM_END { isInside = false }
        return made
    }

    private func unpack(_ memory: UnsafeMutableRawPointer, _ count: Int) throws(SystemError) -> Int {
        guard let zstd else { throw SystemError(number: ENOMEM) }
        // A call that fails returns nothing of what it has produced. So a call takes at most one block, without the three bytes
        // that begin the next one, and takes nothing while earlier output waits for room.
        let size = holdsMore ? 0 : min(rest.count, max(1, wanted - 3))
        var input = ZSTD_inBuffer(
            src: room.baseAddress.map { UnsafeRawPointer($0 + rest.lowerBound) }, size: size, pos: 0)
        var output = ZSTD_outBuffer(dst: memory, size: count, pos: 0)
        let result = ZSTD_decompressStream(zstd, &output, &input)
        guard ZSTD_isError(result) == 0 else { throw SystemError(number: EBADMSG) }
        rest = (rest.lowerBound + input.pos)..<rest.upperBound
        (wanted, isInside, holdsMore) = (result, result != 0, output.pos == count)
        return output.pos
    }
}
