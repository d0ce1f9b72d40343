import CKernels

/// Templates in the layouts that the kernels read: unit vectors in double precision, alternating x and y of every point, and the
/// same in single precision in interleaved blocks of `PK_LANES` templates.
///
/// The memory is aligned to 64 bytes for the widest SIMD loads. Arrays have a smaller alignment, and a load across two cache lines
/// costs as much as two loads.
// `@unchecked Sendable`: the memory is written only while the matcher that owns it is initialized.
final class TemplateBlocks: @unchecked Sendable {
    /// The number of templates in single precision, rounded up to whole blocks. The templates from `count` on are zeros.
    let paddedCount: Int

    private let dimension: Int
    private let count: Int
    private let lanes = Int(PK_LANES)
    private let doubles: UnsafeMutablePointer<Double>
    private let floats: UnsafeMutablePointer<Float>

    /// Allocates templates of zeros.
    ///
    /// - Parameters:
    ///   - count: The number of templates.
    ///   - dimension: The number of elements of a template, which must be even.
    init(count: Int, dimension: Int) {
        self.count = count
        self.dimension = dimension
        paddedCount = (count + lanes - 1) / lanes * lanes
        doubles = Self.zeros(count * dimension)
        floats = Self.zeros(paddedCount * dimension)
    }

    deinit {
        doubles.deallocate()
        floats.deallocate()
    }

    private static func zeros<T: BinaryFloatingPoint>(_ count: Int) -> UnsafeMutablePointer<T> {
        let memory = UnsafeMutableRawPointer.allocate(byteCount: max(1, count) * MemoryLayout<T>.stride, alignment: 64)
        return memory.initializeMemory(as: T.self, repeating: 0, count: count)
    }

    /// Sets a template to a vector times a factor.
    func set(_ index: Int, to values: [Double], _ scale: Double) {
        guard index >= 0, index < count, values.count == dimension else { return }
        let block = floats + index / lanes * lanes * dimension + index % lanes
        for i in 0..<dimension {
            doubles[index * dimension + i] = values[i] * scale
            block[i * lanes] = Float(values[i] * scale)
        }
    }

    /// All templates in single precision, in blocks.
    var single: UnsafePointer<Float> { UnsafePointer(floats) }

    /// All templates in double precision, one after another.
    var exact: UnsafePointer<Double> { UnsafePointer(doubles) }
}
