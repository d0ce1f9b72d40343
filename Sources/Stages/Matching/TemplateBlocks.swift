import CKernels

/// Templates as the kernels read them: vectors of unit length, x and y of every point in turn, in double precision, and the
/// same in single precision in blocks of `PK_LANES` side by side.
///
/// The memory is aligned to what the widest vectors want, which arrays are not: a load across two cache lines costs two.
// What is written while it is made does not change afterwards.
final class TemplateBlocks: @unchecked Sendable {
    /// How many templates there are room for in single precision; behind `count` they are zeros.
    let paddedCount: Int

    private let dimension: Int
    private let count: Int
    private let lanes = Int(PK_LANES)
    private let doubles: UnsafeMutablePointer<Double>
    private let floats: UnsafeMutablePointer<Float>

    /// Room for templates of zeros.
    ///
    /// - Parameter dimension: Numbers of a template, an even count.
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

    /// Sets a template to a vector times a number.
    func set(_ index: Int, to values: [Double], _ scale: Double) {
        guard index >= 0, index < count, values.count == dimension else { return }
        let block = floats + index / lanes * lanes * dimension + index % lanes
        for i in 0..<dimension {
            doubles[index * dimension + i] = values[i] * scale
            block[i * lanes] = Float(values[i] * scale)
        }
    }

    /// All in single precision, in blocks.
    var single: UnsafePointer<Float> { UnsafePointer(floats) }

    /// One in double precision. `index` must be below the count of templates.
    @inline(__always)
    func exact(_ index: Int) -> UnsafePointer<Double> { UnsafePointer(doubles + index * dimension) }
}
