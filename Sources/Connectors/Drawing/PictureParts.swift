/// How much is drawn at a time, so that drawing can end in between.
///
/// Cairo sorts all edges of what it is given, and takes a time that grows with their square. So the contours of a fill are drawn in
/// groups that overlap by one, which leaves no seam; they are opaque, so that it does not show where groups lie over one another. Long
/// lines are drawn in parts that meet in a point (``LineMask``).
enum PictureParts {
    /// The most corners of a part.
    static let mostCorners = 512

    /// The parts of a line: without places nearer to the one kept before than `finest`, but for the last, which adds nothing that
    /// could be seen; a short line is one part and stays as it is. O(places).
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

    /// The groups of contours that together are a fill. O(contours).
    static func groups(of contours: [Picture.Contour]) -> [Range<Int>] {
        var groups: [Range<Int>] = []
        var begin = 0
        var corners = 0
        for (place, contour) in contours.enumerated() {
            let count =
                switch contour {
                case .polygon(let corners): corners.count
                // About as many as Cairo makes of a circle.
                case .circle: 16
                }
            if corners > 0, corners + count > mostCorners, place > begin + 1 || begin == 0 {
                groups.append(begin..<place)
                // The last of a group is the first of the next.
                begin = place - 1
                corners = 0
            }
            corners += count
        }
        if begin < contours.count { groups.append(begin..<contours.count) }
        return groups
    }
}
