import CZlib
import CZstd

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Compresses a file while it is written. Everything written so far can be decompressed at any time.
///
/// After a write that failed, for example on a full disk, nothing of that write stays in the file. The part of the file
/// before it (a gzip member or a Zstandard frame) is ended there, and later data begins another part.
// `@unchecked Sendable`: owned by one sink, which calls it from one thread at a time.
final class CompressingWriter: @unchecked Sendable {
    private let packing: FileCompression
    private var zip = z_stream()
    private var zstd: OpaquePointer?
    /// A buffer for compressed data that is written next.
    private var room = [UInt8](repeating: 0, count: 1 << 17)
    /// What has been written of the current part.
    private var part: CompressedPart
    /// Whether a part with content came before the current one.
    private var isBehindPart = false
    /// The end of a part that a failed write interrupted. It must be written before anything else.
    private var owed: [UInt8] = []
    /// The error after which nothing more can be written: the compressor has failed, or something that was written in part
    /// could not be removed, so that a reader could not decompress what follows.
    private var failure: SystemError?
    private let put: (Int32, UnsafeRawBufferPointer) -> (count: Int, error: SystemError?)
    private let takeBack: (Int, Int32) -> Bool

    /// Creates a compressor. Throws a ``SystemError`` when there is not enough memory.
    ///
    /// - Parameters:
    ///   - put: Writes bytes to a descriptor. Returns the number of bytes written and, if these are not all, the error.
    ///   - takeBack: Removes the last bytes written to a descriptor. Returns whether that was possible.
    init(
        _ packing: FileCompression,
        writing put: @escaping (Int32, UnsafeRawBufferPointer) -> (count: Int, error: SystemError?) =
            SystemCalls.writeAsMuchAsPossible,
        takingBack takeBack: @escaping (Int, Int32) -> Bool = { SystemCalls.takeBack($0, from: $1) }
    ) throws {
        self.packing = packing
        (self.put, self.takeBack) = (put, takeBack)
        part = CompressedPart(packing)
        switch packing {
        case .gzip:
            // A window of 15 bits, plus 16 for a gzip header.
            guard
                deflateInit2_(
                    &zip, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
                    Int32(MemoryLayout<z_stream>.size)) == Z_OK
            else { throw SystemError(number: ENOMEM) }
        case .zstd:
            zstd = ZSTD_createCCtx()
            guard let zstd else { throw SystemError(number: ENOMEM) }
            ZSTD_CCtx_setParameter(zstd, ZSTD_c_checksumFlag, 1)
        }
    }

    deinit {
        if packing == .gzip { deflateEnd(&zip) }
        if let zstd { ZSTD_freeCCtx(zstd) }
    }

    /// Compresses bytes and writes them. Returns how many of the given bytes were written (all or none), and the error, if any.
    func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> (count: Int, error: SystemError?) {
        let error = pack(bytes, isEnd: false, to: descriptor)
        return (error == nil ? bytes.count : 0, error)
    }

    /// Writes the end of the compressed data.
    func finish(_ descriptor: Int32) -> SystemError? {
        // After a part that was interrupted, an empty one is not needed.
        if failure == nil, isBehindPart, part.count == 0 { return settle(descriptor) }
        return pack(UnsafeRawBufferPointer(start: nil, count: 0), isEnd: true, to: descriptor)
    }

    private func pack(_ bytes: UnsafeRawBufferPointer, isEnd: Bool, to descriptor: Int32) -> SystemError? {
        if let failure { return failure }
        if let error = settle(descriptor) { return error }
        do throws(SystemError) {
            var taken = 0
            var written = 0
            while true {
                let (made, isOver) =
                    packing == .gzip ? try deflate(bytes, &taken, isEnd) : try compress(bytes, &taken, isEnd)
                let (count, error) = room.withUnsafeBytes {
                    put(descriptor, UnsafeRawBufferPointer(rebasing: $0[..<made]))
                }
                written += count
                if let error {
                    guard written == 0 || takeBack(written, descriptor) else { throw error }
                    try beginPart()
                    return error
                }
                if isOver { break }
            }
            part.add(bytes)
            return nil
        } catch {
            failure = error
            return error
        }
    }

    /// Writes the end of an interrupted part, if it has not been written yet.
    private func settle(_ descriptor: Int32) -> SystemError? {
        guard !owed.isEmpty else { return nil }
        let (count, error) = owed.withUnsafeBytes { put(descriptor, $0) }
        guard let error else {
            owed = []
            return nil
        }
        if count > 0, !takeBack(count, descriptor) { owed.removeFirst(count) }
        return error
    }

    /// Leaves the current part as it is in the file, and begins another one.
    ///
    /// - Throws: `EIO` if the compressor refuses to begin again.
    private func beginPart() throws(SystemError) {
        if part.count > 0 { (owed, isBehindPart) = (part.ending(), true) }
        part = CompressedPart(packing)
        let hasBegun =
            switch packing {
            case .gzip: deflateReset(&zip) == Z_OK
            case .zstd: ZSTD_isError(ZSTD_CCtx_reset(zstd, ZSTD_reset_session_only)) == 0
            }
        guard hasBegun else { throw SystemError(number: EIO) }
    }

    /// - Throws: `EIO` if zlib refuses to compress.
    private func deflate(
        _ bytes: UnsafeRawBufferPointer, _ taken: inout Int, _ isEnd: Bool
    ) throws(SystemError) -> (made: Int, isOver: Bool) {
        let start = bytes.baseAddress.map { UnsafeMutablePointer(mutating: $0.assumingMemoryBound(to: UInt8.self)) }
        let rest = UInt32(clamping: bytes.count - taken)
        zip.next_in = start.map { $0 + taken }
        zip.avail_in = rest
        let result = room.withUnsafeMutableBufferPointer { room in
            zip.next_out = room.baseAddress
            zip.avail_out = UInt32(room.count)
            return CZlib.deflate(&zip, isEnd ? Z_FINISH : Z_SYNC_FLUSH)
        }
        guard [Z_OK, Z_STREAM_END, Z_BUF_ERROR].contains(result) else { throw SystemError(number: EIO) }
        taken += Int(rest - zip.avail_in)
        let isOver = isEnd ? result == Z_STREAM_END : zip.avail_out > 0 && taken == bytes.count
        return (room.count - Int(zip.avail_out), isOver)
    }

    /// - Throws: `EIO` if Zstandard refuses to compress.
    private func compress(
        _ bytes: UnsafeRawBufferPointer, _ taken: inout Int, _ isEnd: Bool
    ) throws(SystemError) -> (made: Int, isOver: Bool) {
        var input = ZSTD_inBuffer(src: bytes.baseAddress, size: bytes.count, pos: taken)
        let (left, made) = room.withUnsafeMutableBytes { room in
            var output = ZSTD_outBuffer(dst: room.baseAddress, size: room.count, pos: 0)
            return (ZSTD_compressStream2(zstd, &output, &input, isEnd ? ZSTD_e_end : ZSTD_e_flush), output.pos)
        }
        guard ZSTD_isError(left) == 0 else { throw SystemError(number: EIO) }
        taken = input.pos
        return (made, left == 0)
    }
}
