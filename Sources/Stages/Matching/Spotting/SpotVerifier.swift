import CKernels

/// Compares a part of a movement with all samples of a library: the mean of how far their clouds of directed points and the ways they are
/// drawn are apart, each in medians between different gestures. Its memory is that of one stream; it allocates nothing once it has
/// been used.
struct SpotVerifier: Sendable {
    private let library: SpotLibrary
    private let which: [UInt32]
    private var coordinates: [Double] = []
    private var even = [Double](repeating: 0, count: Int(PK_CLOUD_EVEN))
    private var features = [Float](repeating: 0, count: GestureCloud.count)
    private var reversed = [Float](repeating: 0, count: Int(PK_CLOUD_REVERSED))
    private var clouds: [Float]
    private var ways: [Float]
    /// By gesture, the distance to its nearest sample: what was computed last.
    private(set) var distances: [Double]

    init(_ library: SpotLibrary) {
        self.library = library
        which = library.templates.indices.map { UInt32($0) }
        clouds = [Float](repeating: 0, count: library.templates.count)
        ways = clouds
        distances = [Double](repeating: 0, count: library.categories.count)
    }

    /// Finds the nearest gesture to a part of a path. O(steps + samples of the library).
    ///
    /// - Parameter range: The numbers of its positions; two at least.
    mutating func nearest(_ path: SpotPath, _ range: ClosedRange<Int>) -> (category: Int, distance: Double) {
        path.copy(range, to: &coordinates)
        var end = range.count
        pk_cloud_even(coordinates, 2, &end, 1, &even)
        pk_cloud_features(even, 1, 0, &features)
        pk_cloud_reversed(features, &reversed)
        pk_cloud_drawn(features, library.features.base, which.count, &clouds)
        pk_cloud_warps(reversed, library.features.base, which, which.count, &ways)
        for category in distances.indices { distances[category] = .infinity }
        var (best, least) = (0, Double.infinity)
        for index in library.templates.indices {
            let category = library.templates[index].category
            let distance = Double(clouds[index] + ways[index]) / 2
            distances[category] = min(distances[category], distance)
            if distance < least { (best, least) = (category, distance) }
        }
        return (best, least)
    }
}
