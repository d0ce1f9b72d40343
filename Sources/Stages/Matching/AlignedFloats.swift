/// Numbers in memory that is aligned to what the widest vectors want, which arrays are not: a load across two cache lines
/// costs two.
///
/// A shared one is no longer written to.
final class AlignedFloats: @unchecked Sendable {
    /// The numbers.
    let base: UnsafeMutablePointer<Float>

    /// Makes `count` zeros.
    init(count: Int) {
        let memory = UnsafeMutableRawPointer.allocate(
            byteCount: max(1, count) * MemoryLayout<Float>.stride, alignment: 64)
        base = memory.initializeMemory(as: Float.self, repeating: 0, count: max(1, count))
    }

    deinit { base.deallocate() }
}
