import Stages

extension [Sample] {
    /// Creates samples from the numbers of all samples in one list. A value that the layout does not contain is 0.
    ///
    /// - Parameters:
    ///   - numbers: The numbers of all samples.
    ///   - layout: The positions of the numbers within a sample.
    ///   - begin: The time to subtract from each time, in the unit of the times.
    ///   - scale: The unit of the times, in microseconds; 0 for samples without times.
    init(numbers: [Double], _ layout: PointLayout, from begin: Double = 0, scale: Double = 1) {
        let count = layout.width == 0 ? 0 : numbers.count / layout.width
        let (x, y, p) = (layout.start(of: .x, count), layout.start(of: .y, count), layout.start(of: .p, count))
        let (t, step) = (scale == 0 ? -1 : layout.start(of: .t, count), layout.step)
        self = numbers.withUnsafeBufferPointer { numbers in
            [Sample](unsafeUninitializedCapacity: count) { buffer, filled in
                guard let out = buffer.baseAddress else { return }
                for i in 0..<count {
                    let at = i &* step
                    (out + i).initialize(
                        to: Sample(
                            x: numbers[at &+ x], y: numbers[at &+ y],
                            t: t < 0 ? 0 : (numbers[at &+ t] - begin) * scale, p: p < 0 ? 0 : numbers[at &+ p]))
                }
                filled = count
            }
        }
    }
}

extension [Landmarks.Point] {
    /// Creates positions from the numbers of all positions in one list. If the layout has no z, it is 0.
    init(numbers: [Double], _ layout: PointLayout) {
        // In this layout, the numbers are stored in the same way as an array of positions.
        if layout == PointFields.xyz.layout {
            self = numbers.withUnsafeBytes { $0.withMemoryRebound(to: Landmarks.Point.self) { Array($0) } }
            return
        }
        let count = layout.width == 0 ? 0 : numbers.count / layout.width
        let (x, y, z) = (layout.start(of: .x, count), layout.start(of: .y, count), layout.start(of: .z, count))
        let step = layout.step
        self = numbers.withUnsafeBufferPointer { numbers in
            [Landmarks.Point](unsafeUninitializedCapacity: count) { buffer, filled in
                guard let out = buffer.baseAddress else { return }
                for i in 0..<count {
                    let at = i &* step
                    (out + i).initialize(
                        to: .init(x: numbers[at &+ x], y: numbers[at &+ y], z: z < 0 ? 0 : numbers[at &+ z]))
                }
                filled = count
            }
        }
    }
}
