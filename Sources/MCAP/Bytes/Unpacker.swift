import CLZ4
import CZstd

/// A decompressor of chunks. It keeps the decompression contexts of the libraries from one chunk to the next.
final class Unpacker {
    private var zstd: OpaquePointer?
    private var lz4: OpaquePointer?

    deinit {
        if let zstd { ZSTD_freeDCtx(zstd) }
        if let lz4 { LZ4F_freeDecompressionContext(lz4) }
    }

    /// Decompresses records into exactly `count` bytes. The caller must have checked `count` against ``ReadingLimits``.
    ///
    /// - Parameters:
    ///   - count: The uncompressed size that the chunk declares.
    ///   - offset: The position of the chunk, for errors.
    func unpack(
        _ packed: UnsafeRawBufferPointer, _ compression: Compression, count: Int, at offset: UInt64
    ) throws(MCAPError) -> [UInt8] {
        var failure: String?
        let unpacked = [UInt8](unsafeUninitializedCapacity: count) { room, used in
            let room = UnsafeMutableRawBufferPointer(room)
            switch compression {
            case .zstd: (used, failure) = unpackZstd(packed, into: room)
            case .lz4: (used, failure) = unpackLZ4(packed, into: room)
            default: failure = "the compression \(compression.rawValue.debugDescription) is not known"
            }
        }
        if let failure { throw MCAPError(.compression, "a chunk cannot be unpacked: \(failure)", at: offset) }
        guard unpacked.count == count else {
            throw MCAPError(
                .compression, "a chunk holds \(unpacked.count) bytes but declares \(count)", at: offset)
        }
        return unpacked
    }

    private func unpackZstd(
        _ packed: UnsafeRawBufferPointer, into room: UnsafeMutableRawBufferPointer
    ) -> (Int, String?) {
        if zstd == nil { zstd = ZSTD_createDCtx() }
        guard let zstd else { return (0, "there is not enough memory") }
        // The single-pass API allocates no window, whatever size the frame requests. Output that does not fit is an error.
        let result = ZSTD_decompressDCtx(zstd, room.baseAddress, room.count, packed.baseAddress, packed.count)
        if ZSTD_isError(result) != 0 { return (0, String(cString: ZSTD_getErrorName(result))) }
        return (result, nil)
    }

    private func unpackLZ4(
        _ packed: UnsafeRawBufferPointer, into room: UnsafeMutableRawBufferPointer
    ) -> (Int, String?) {
        if lz4 == nil { _ = LZ4F_createDecompressionContext(&lz4, UInt32(LZ4F_VERSION)) }
        guard let lz4 else { return (0, "there is not enough memory") }
        LZ4F_resetDecompressionContext(lz4)
        var options = LZ4F_decompressOptions_t()
        // Tells the library that decompressed bytes stay where they are, so that it does not copy them.
        options.stableDst = 1
        var (taken, made) = (0, 0)
        while taken < packed.count {
            var (source, target) = (packed.count - taken, room.count - made)
            let hint = LZ4F_decompress(
                lz4, room.baseAddress.map { $0 + made }, &target, packed.baseAddress.map { $0 + taken }, &source,
                &options)
            if LZ4F_isError(hint) != 0 { return (0, String(cString: LZ4F_getErrorName(hint))) }
            taken += source
            made += target
            if hint == 0 { continue }
            if source == 0, target == 0 {
                return (0, made == room.count ? "it holds more bytes than it declares" : "its end is missing")
            }
            if taken == packed.count { return (0, "its end is missing") }
        }
        return (made, nil)
    }
}
