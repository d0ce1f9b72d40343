/// The division of marks into parts, so that drawing can be cancelled between them.
///
/// Cairo sorts all edges of a path in quadratic time, so drawing many small paths is faster than drawing a single large one. For
/// this reason, the contours of a fill are drawn in groups. Neighboring groups share one contour, so there is no seam between them.
/// Fills are opaque, so the overlap is invisible. Long lines are drawn in parts that share their end points (``LineMask``).
enum PictureParts {
    /// The maximum number of corners in a part.
    static let mostCorners = 512

    /// Divides a line into parts of at most ``mostCorners`` points. A shorter line is returned unchanged as a single part. In a
    /// longer one, points closer than `finest` to the previous point would be invisible and are left out, except for the last
    /// point. O(points).
    static func parts(of line: [Picture.Place], finest: Double) -> [[Picture.Place]] {
        guard line.count > mostCorners, let last = line.last else { return [line] }
        var parts: [[Picture.Place]] = []
        var part: [Picture.Place] = []
        for place in line.dropLast() {
            if let kept = part.last {
                let (dx, dy) = (place.x - kept.x, place.y - kept.y)
                if dx * dx + dy * dy < finest * finest { continue }
            }
            part.append(place)
            if part.count == mostCorners {
                parts.append(part)
                part = [place]
            }
        }
        part.append(last)
        parts.append(part)
        return parts
    }

    /// Divides the contours of a fill into groups. O(contours).
    static func groups(of contours: [Picture.Contour]) -> [Range<Int>] {
        var groups: [Range<Int>] = []
        var begin = 0
        var corners = 0
        for (place, contour) in contours.enumerated() {
            let count =
                switch contour {
                case .polygon(let corners): corners.count
                // About the number of corners that Cairo uses for a circle.
                case .circle: 16
                }
            if corners > 0, corners + count > mostCorners, place > begin + 1 || begin == 0 {
                groups.append(begin..<place)
                // The last contour of a group is also the first of the next.
                begin = place - 1
                corners = 0
            }
            corners += count
        }
        if begin < contours.count { groups.append(begin..<contours.count) }
        return groups
    }
}
