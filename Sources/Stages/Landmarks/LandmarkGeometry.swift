#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

// Measurements for stages that examine the shape of a hand.

extension Landmarks.Point {
    /// Returns the distance to another point: in space if z is as reliable as x and y, otherwise in the plane of the image.
    func distance(to other: Landmarks.Point, _ usesDepth: Bool) -> Double {
        let (dx, dy, dz) = (other.x - x, other.y - y, usesDepth ? other.z - z : 0)
        return (dx * dx + dy * dy + dz * dz).squareRoot()
    }

    /// Returns the angle at this point between two others, from 0 to 180 degrees, or `nil` if one of them coincides with this
    /// point.
    func angle(from a: Landmarks.Point, to b: Landmarks.Point, _ usesDepth: Bool) -> Double? {
        let (lengthA, lengthB) = (distance(to: a, usesDepth), distance(to: b, usesDepth))
        guard lengthA > 0, lengthB > 0 else { return nil }
        let u = Landmarks.Point(x: (a.x - x) / lengthA, y: (a.y - y) / lengthA, z: usesDepth ? (a.z - z) / lengthA : 0)
        let v = Landmarks.Point(x: (b.x - x) / lengthB, y: (b.y - y) / lengthB, z: usesDepth ? (b.z - z) / lengthB : 0)
        // Kahan's formula keeps full precision near 0 and 180 degrees, where acos loses half of the digits.
        let difference = u.distance(to: v, usesDepth)
        let sum = u.distance(to: Landmarks.Point(x: -v.x, y: -v.y, z: -v.z), usesDepth)
        return 2 * atan2(difference, sum) * 180 / .pi
    }
}

extension [Landmarks.Point] {
    /// The mean of the width and the height of the bounding box; 0 for no points and for one point.
    var boxSize: Double {
        guard var low = first else { return 0 }
        var high = low
        for point in self {
            low = Landmarks.Point(x: Swift.min(low.x, point.x), y: Swift.min(low.y, point.y))
            high = Landmarks.Point(x: Swift.max(high.x, point.x), y: Swift.max(high.y, point.y))
        }
        return (high.x - low.x) / 2 + (high.y - low.y) / 2
    }

    /// Returns the largest distance between any two of the points at some indices. O(places²).
    func extent(of places: [Int], _ usesDepth: Bool) -> Double {
        var largest = 0.0
        for (index, a) in places.enumerated() {
            for b in places.dropFirst(index + 1) {
                largest = Swift.max(largest, self[a].distance(to: self[b], usesDepth))
            }
        }
        return largest
    }
}

extension Topology {
    /// The indices of the wrist and of the knuckles of the four fingers, or `nil` if some are missing.
    ///
    /// The largest distance between any two of them is the palm's extent. From every viewpoint, and however far the hand is turned
    /// away, at least one of these distances is hardly foreshortened.
    var palm: [Int]? {
        let places = ["wrist", "indexMCP", "middleMCP", "ringMCP", "littleMCP"].compactMap { place(of: $0) }
        return places.count == 5 ? places : nil
    }
}
