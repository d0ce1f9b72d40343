import CKernels

/// Compares a part of a movement with all samples of a library.
///
/// The distance to a sample is the mean of two distances: between the clouds of directed points, and between the paths. Each of the
/// two is first divided by a constant, its median for pairs of different gestures, so that both have the same scale. Each stream
/// has its own instance, which allocates nothing after the first use.
struct SpotVerifier: Sendable {
    private let library: SpotLibrary
    private let which: [UInt32]
    private var coordinates: [Double] = []
    private var even = [Double](repeating: 0, count: Int(PK_CLOUD_EVEN))
    private var features = [Float](repeating: 0, count: GestureCloud.count)
    private var reversed = [Float](repeating: 0, count: Int(PK_CLOUD_REVERSED))
    private var clouds: [Float]
    private var paths: [Float]
    /// The distance to the nearest sample of each gesture, from the last call of ``nearest(_:_:)``.
    private(set) var distances: [Double]

    init(_ library: SpotLibrary) {
        self.library = library
        which = library.templates.indices.map { UInt32($0) }
        clouds = [Float](repeating: 0, count: library.templates.count)
        paths = clouds
        distances = [Double](repeating: 0, count: library.categories.count)
    }

    /// Finds the nearest gesture to a part of a path. O(steps + samples of the library).
    ///
    /// - Parameters:
    ///   - path: The path.
    ///   - range: The indices of the positions that form the part; at least two.
    mutating func nearest(_ path: SpotPath, _ range: ClosedRange<Int>) -> (category: Int, distance: Double) {
        path.copy(range, to: &coordinates)
        var end = range.count
        pk_cloud_even(coordinates, 2, &end, 1, &even)
        pk_cloud_features(even, 1, 0, &features)
        pk_cloud_reversed(features, &reversed)
        pk_cloud_drawn(features, library.features.base, which.count, &clouds)
        pk_cloud_warps(reversed, library.features.base, which, which.count, &paths)
        for category in distances.indices { distances[category] = .infinity }
        var (best, least) = (0, Double.infinity)
        for index in library.templates.indices {
            let category = library.templates[index].category
            let distance = Double(clouds[index] + paths[index]) / 2
            distances[category] = min(distances[category], distance)
            if distance < least { (best, least) = (category, distance) }
        }
        return (best, least)
    }
}
