import CLZ4
import CZstd

/// A compressor of chunks. It keeps the buffer and the context of the libraries from one chunk to the next.
final class Packer {
    private let compression: Compression
    private var zstd: OpaquePointer?
    private var room: UnsafeMutableRawBufferPointer

    /// Creates a packer.
    ///
    /// - Throws: A ``MCAPError/Code/misuse`` error if the compression is unknown.
    init(_ compression: Compression) throws(MCAPError) {
        guard [.none, .zstd, .lz4].contains(compression) else {
            throw MCAPError(.misuse, "the compression \(compression.rawValue.debugDescription) is not known")
        }
        self.compression = compression
        room = .allocate(byteCount: 0, alignment: 16)
    }

    deinit {
        if let zstd { ZSTD_freeCCtx(zstd) }
        room.deallocate()
    }

    /// Compresses the bytes and calls `body` with the result, which is valid only during the call.
    func pack(
        _ bytes: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Void
    ) throws(MCAPError) {
        if compression == .none { return body(bytes) }
        let isZstd = compression == .zstd
        var preferences = LZ4F_preferences_t()
        preferences.frameInfo.contentSize = UInt64(bytes.count)
        let bound = isZstd ? ZSTD_compressBound(bytes.count) : LZ4F_compressFrameBound(bytes.count, &preferences)
        if room.count < bound {
            room.deallocate()
            room = .allocate(byteCount: bound, alignment: 16)
        }
        let size: Int
        if isZstd {
            if zstd == nil { zstd = ZSTD_createCCtx() }
            guard let zstd else { throw MCAPError(.compression, "there is not enough memory to pack a chunk") }
            size = ZSTD_compressCCtx(zstd, room.baseAddress, room.count, bytes.baseAddress, bytes.count, 1)
            if ZSTD_isError(size) != 0 {
                throw MCAPError(.compression, "a chunk cannot be packed: \(String(cString: ZSTD_getErrorName(size)))")
            }
        } else {
            size = LZ4F_compressFrame(room.baseAddress, room.count, bytes.baseAddress, bytes.count, &preferences)
            if LZ4F_isError(size) != 0 {
                throw MCAPError(.compression, "a chunk cannot be packed: \(String(cString: LZ4F_getErrorName(size)))")
            }
        }
        body(UnsafeRawBufferPointer(rebasing: room[..<size]))
    }
}
