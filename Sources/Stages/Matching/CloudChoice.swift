import CKernels

/// Chooses the templates that a ``CloudMatcher`` compares in full.
///
/// In a small library, these are all templates. In a large library, these are the templates with the nearest histograms, with at
/// least two templates per chosen gesture and at least two gestures.
struct CloudChoice: Sendable {
    /// The largest number of templates of a small library.
    static let small = 64
    /// In a large library, one template in this many is compared in full, but no fewer than `small` and no more than about `most`.
    private static let share = 8
    /// The size of a compact histogram, in bytes.
    private static let compact = Int(PK_CLOUD_COMPACT)
    private static let most = 512

    private let starts: [Int]
    private let categories: [Int]
    /// The compact histograms of a large library, and the reciprocals of their lengths.
    private let histograms: [Int8]
    private let scales: [Float]

    /// - Parameters:
    ///   - templates: The features of all templates.
    ///   - sizes: The number of templates of every gesture.
    init(_ templates: AlignedFloats, sizes: [Int]) {
        let count = sizes.reduce(0, +)
        var (histograms, scales): ([Int8], [Float]) = ([], [])
        if count > Self.small {
            histograms = [Int8](repeating: 0, count: count * Self.compact)
            scales = histograms.withUnsafeMutableBufferPointer { histograms in
                guard let base = histograms.baseAddress else { return [] }
                return (0..<count).map { template in
                    pk_cloud_compact(
                        templates.base + template * GestureCloud.count, base + template * Self.compact)
                }
            }
        }
        (self.histograms, self.scales) = (histograms, scales)
        starts = sizes.reduce(into: [0]) { $0.append(($0.last ?? 0) + $1) }
        categories = sizes.enumerated().flatMap { Array(repeating: $0.offset, count: $0.element) }
    }

    /// Returns the gesture that a template belongs to.
    func category(of template: UInt32) -> Int { categories[Int(template)] }

    /// Chooses the templates to compare with the query, and stores their indices in `scratch.which`, in library order.
    ///
    /// - Parameters:
    ///   - angles: The indices of the angles at which the query is compared, as in ``CloudAngles/coarse``. The first index is 0.
    ///   - scratch: The query and the working memory.
    func choose(_ angles: [Int], _ scratch: inout CloudScratch) {
        guard categories.count > Self.small else {
            if scratch.which.count != categories.count { scratch.which = categories.indices.map(UInt32.init) }
            return
        }
        compareHistograms(angles, &scratch)
        let wanted = max(Self.small, min(Self.most, categories.count / Self.share))
        let cutoff = Self.cutoff(scratch.histograms, wanted)
        scratch.which.removeAll(keepingCapacity: true)
        for (template, distance) in scratch.histograms.enumerated() where Self.bucket(distance) <= cutoff {
            scratch.which.append(UInt32(template))
        }
        addSecondNearest(&scratch)
    }

    private func compareHistograms(_ angles: [Int], _ scratch: inout CloudScratch) {
        let count = categories.count
        scratch.histograms.resize(to: count, filler: 0)
        var query = [Int8](repeating: 0, count: Self.compact)
        for angle in angles {
            let scale = pk_cloud_compact(scratch.features(at: angle), &query)
            guard angle != 0 else {
                pk_cloud_histograms(query, scale, histograms, scales, count, &scratch.histograms)
                continue
            }
            scratch.fresh.resize(to: count, filler: 0)
            pk_cloud_histograms(query, scale, histograms, scales, count, &scratch.fresh)
            for template in 0..<count {
                scratch.histograms[template] = min(scratch.histograms[template], scratch.fresh[template])
            }
        }
    }

    /// Adds a second template to every gesture with only one chosen template. If all chosen templates belong to one gesture, adds
    /// two templates of the nearest other gesture.
    private func addSecondNearest(_ scratch: inout CloudScratch) {
        var added: [UInt32] = []
        for (place, template) in scratch.which.enumerated() {
            let category = category(of: template)
            let isAlone =
                (place == 0 || self.category(of: scratch.which[place - 1]) != category)
                && (place + 1 == scratch.which.count || self.category(of: scratch.which[place + 1]) != category)
            guard isAlone else { continue }
            let others = (starts[category]..<starts[category + 1]).filter { $0 != Int(template) }
            if let next = nearest(of: others, scratch.histograms) { added.append(next) }
        }
        if let only = scratch.which.first.map(category(of:)), scratch.which.last.map(category(of:)) == only {
            let own = starts[only]..<starts[only + 1]
            if let other = nearest(of: categories.indices.filter { !own.contains($0) }, scratch.histograms) {
                added.append(other)
                let category = category(of: other)
                let company = (starts[category]..<starts[category + 1]).filter { $0 != Int(other) }
                if let next = nearest(of: company, scratch.histograms) { added.append(next) }
            }
        }
        guard !added.isEmpty else { return }
        scratch.which = (scratch.which + added).sorted()
    }

    private func nearest(of places: [Int], _ distances: [Float]) -> UInt32? {
        places.min { (distances[$0], $0) < (distances[$1], $1) }.map(UInt32.init)
    }

    /// The number of buckets for distances. Counting distances in buckets takes less time than sorting them.
    private static let buckets = 2048

    private static func bucket(_ distance: Float) -> Int { Int(min(max(distance, 0), 0.9999) * Float(buckets)) }

    /// Returns the first bucket that, together with all lower buckets, contains at least the wanted number of distances.
    private static func cutoff(_ distances: [Float], _ wanted: Int) -> Int {
        var counts = [Int](repeating: 0, count: buckets)
        for distance in distances { counts[bucket(distance)] += 1 }
        var sum = 0
        for (bucket, count) in counts.enumerated() {
            sum += count
            if sum >= wanted { return bucket }
        }
        return buckets
    }
}
