/// Numbers in memory that is aligned to 64 bytes for the widest SIMD loads. Arrays have a smaller alignment, and a load across two
/// cache lines costs as much as two loads.
///
/// An instance must not be written to after it was shared: nothing synchronizes access.
final class AlignedFloats: @unchecked Sendable {
    /// The numbers.
    let base: UnsafeMutablePointer<Float>

    /// Allocates `count` zeros.
    init(count: Int) {
        let memory = UnsafeMutableRawPointer.allocate(
            byteCount: max(1, count) * MemoryLayout<Float>.stride, alignment: 64)
        base = memory.initializeMemory(as: Float.self, repeating: 0, count: max(1, count))
    }

    deinit { base.deallocate() }
}
