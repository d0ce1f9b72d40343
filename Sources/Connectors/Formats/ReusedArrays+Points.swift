import Stages

extension ReusedArrays<Sample> {
    /// Creates samples from the numbers of all samples in one list. A value that the layout does not contain is 0.
    ///
    /// - Parameters:
    ///   - numbers: The numbers of all samples.
    ///   - layout: The positions of the numbers within a sample.
    ///   - begin: The time to subtract from each time, in the unit of the times.
    ///   - scale: The unit of the times, in microseconds; 0 for samples without times.
    mutating func samples(
        from numbers: [Double], _ layout: PointLayout, begin: Double = 0, scale: Double = 1
    ) -> [Sample] {
        let count = layout.width == 0 ? 0 : numbers.count / layout.width
        let (x, y, p) = (layout.start(of: .x, count), layout.start(of: .y, count), layout.start(of: .p, count))
        let (t, step) = (scale == 0 ? -1 : layout.start(of: .t, count), layout.step)
        return array(of: count) { samples in
            numbers.withUnsafeBufferPointer { numbers in
                guard let out = samples.baseAddress else { return }
                for i in 0..<count {
                    let at = i &* step
                    out[i] = Sample(
                        x: numbers[at &+ x], y: numbers[at &+ y], t: t < 0 ? 0 : (numbers[at &+ t] - begin) * scale,
                        p: p < 0 ? 0 : numbers[at &+ p])
                }
            }
        }
    }
}

extension ReusedArrays<Landmarks.Point> {
    /// Creates positions from the numbers of all positions in one list. If the layout has no z, it is 0.
    mutating func points(from numbers: [Double], _ layout: PointLayout) -> [Landmarks.Point] {
        let count = layout.width == 0 ? 0 : numbers.count / layout.width
        return array(of: count) { points in
            numbers.withUnsafeBytes { bytes in
                // In this layout, the numbers are stored in the same way as an array of positions.
                if layout == PointFields.xyz.layout {
                    return UnsafeMutableRawBufferPointer(points).copyMemory(
                        from: UnsafeRawBufferPointer(rebasing: bytes[..<(count * MemoryLayout<Landmarks.Point>.stride)])
                    )
                }
                let (x, y, z) = (layout.start(of: .x, count), layout.start(of: .y, count), layout.start(of: .z, count))
                let (numbers, step) = (bytes.assumingMemoryBound(to: Double.self), layout.step)
                for i in 0..<count {
                    let at = i &* step
                    points[i] = .init(x: numbers[at &+ x], y: numbers[at &+ y], z: z < 0 ? 0 : numbers[at &+ z])
                }
            }
        }
    }
}
