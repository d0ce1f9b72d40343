import CCairo
import Pipeline

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The coverage of each pixel by a long line with round ends and corners.
///
/// Cairo sorts all edges of a path and visits every pixel between the outermost edges. A line that goes back and forth is therefore
/// much slower than its number of pixels requires. This mask visits only the pixels near each segment, row by row: O(length ·
/// width) for a segment. If segments overlap, the larger coverage is used, so joints and crossings are not visible. For lines at
/// least two pixels wide, the coverage of a pixel differs from Cairo's by at most 0.1.
struct LineMask: ~Copyable {
    /// The rectangle of the mask: its first column and row, and the number of columns and rows.
    private let left, top, columns, rows: Int
    private let stride: Int
    private let radius: Double
    private let coverage: UnsafeMutablePointer<UInt8>

    /// Creates an empty mask.
    ///
    /// - Parameters:
    ///   - places: All points of the line, in pixels.
    ///   - radius: Half the line's width, in pixels.
    ///   - width: The number of columns of the picture.
    ///   - height: The number of rows of the picture.
    init(around places: [Picture.Place], radius: Double, width: Int, height: Int) {
        let reach = radius + 1
        func first(_ least: Double, _ most: Int) -> Int { Int(max(0, min(Double(most), least - reach))) }
        func end(_ largest: Double, _ most: Int) -> Int { Int(max(0, min(Double(most), largest + reach + 1))) }
        var (low, high) = (
            Picture.Place(x: .infinity, y: .infinity), Picture.Place(x: -.infinity, y: -.infinity)
        )
        for place in places {
            low = Picture.Place(x: min(low.x, place.x), y: min(low.y, place.y))
            high = Picture.Place(x: max(high.x, place.x), y: max(high.y, place.y))
        }
        self.radius = radius
        (left, top) = (first(low.x, width), first(low.y, height))
        (columns, rows) = (max(0, end(high.x, width) - left), max(0, end(high.y, height) - top))
        stride = max(4, Int(cairo_format_stride_for_width(CAIRO_FORMAT_A8, Int32(columns))))
        coverage = .allocate(capacity: max(1, stride * rows))
        coverage.initialize(repeating: 0, count: max(1, stride * rows))
    }

    deinit { coverage.deallocate() }

    /// Adds a segment with round ends, in pixels.
    mutating func add(_ a: Picture.Place, _ b: Picture.Place) {
        let (dx, dy) = (b.x - a.x, b.y - a.y)
        let length = (dx * dx + dy * dy).squareRoot()
        guard length.isFinite else { return }
        let (ux, uy) = length > 0 ? (dx / length, dy / length) : (1, 0)
        // Positions relative to the center of the first pixel.
        let (ax, ay) = (a.x - Double(left) - 0.5, a.y - Double(top) - 0.5)
        // A pixel may be covered if its center is within the radius plus half the diagonal of a pixel.
        let outer = radius + 0.71
        let side = Side(x: uy, y: ux)
        // A pixel whose center is nearer than this is covered completely.
        let inner = radius - side.half
        let first = Int(max(0, min(Double(rows), (ay + min(0, dy) - outer).rounded(.up))))
        let last = Int(max(-1, min(Double(rows - 1), (ay + max(0, dy) + outer).rounded(.down))))
        guard first <= last else { return }
        let band = Band(ux: ux, uy: uy, length: length, outer: outer)
        for row in first...last {
            let py = Double(row) - ay
            let (begin, end) = band.reach(in: py)
            let from = Int(max(0, min(Double(columns), (ax + begin).rounded(.up))))
            let to = Int(max(-1, min(Double(columns - 1), (ax + end).rounded(.down))))
            guard from <= to else { continue }
            let pixels = coverage + row * stride
            for column in from...to {
                let px = Double(column) - ax
                let along = px * ux + py * uy
                let part: Double
                if along >= 0, along <= length {
                    let distance = abs(px * uy - py * ux)
                    if distance <= inner {
                        pixels[column] = 255
                        continue
                    }
                    if distance >= outer { continue }
                    part = side.part(distance, radius)
                } else {
                    let (ex, ey) = along < 0 ? (px, py) : (px - ux * length, py - uy * length)
                    let distance = (ex * ex + ey * ey).squareRoot()
                    let end = distance > 0 ? Side(x: ex / distance, y: ey / distance) : side
                    part = end.part(distance, radius)
                }
                let value = UInt8(part * 255 + 0.5)
                if value > pixels[column] { pixels[column] = value }
            }
        }
    }

    /// Computes how much of a pixel lies on one side of a straight edge.
    private struct Side {
        /// The larger and the smaller component of the unit vector across the edge, both without sign.
        private let larger, smaller: Double

        init(x: Double, y: Double) { (larger, smaller) = (max(abs(x), abs(y)), min(abs(x), abs(y))) }

        /// Half the extent of a pixel in the direction across the edge.
        var half: Double { (larger + smaller) / 2 }

        /// Returns the part of a pixel that a strip of the given radius covers. `distance` is the distance of the pixel's center
        /// from the strip's center line.
        @inline(__always)
        func part(_ distance: Double, _ radius: Double) -> Double {
            max(0, behind(radius - distance) - (radius < 0.75 ? behind(-radius - distance) : 0))
        }

        /// Returns the part of a pixel on the inner side of an edge. `distance` is the distance of the pixel's center from the
        /// edge, positive on the inner side.
        @inline(__always)
        private func behind(_ distance: Double) -> Double {
            let far = abs(distance)
            guard far < half else { return distance > 0 ? 1 : 0 }
            var part = far / larger
            if far > (larger - smaller) / 2 {
                // Only a corner of the pixel is on the other side.
                let rest = half - far
                part = 0.5 - rest * rest / (2 * larger * smaller)
            }
            return distance > 0 ? 0.5 + part : 0.5 - part
        }
    }

    /// All points within the distance `outer` of a segment from the origin to `length` · (ux, uy).
    private struct Band {
        private let outer: Double
        private let end: Picture.Place
        /// A row at y crosses the two long sides at x = `slope` · y ± `half`. `half` is infinite for horizontal segments.
        private let slope, half: Double
        /// A row at y crosses the lines across the two ends at x = `slant` · y and `slant` · y + `across`. `across` is infinite
        /// for vertical segments.
        private let slant, across: Double

        init(ux: Double, uy: Double, length: Double, outer: Double) {
            self.outer = outer
            end = Picture.Place(x: ux * length, y: uy * length)
            let (isLevel, isUpright) = (abs(uy) < 1e-9, abs(ux) < 1e-9)
            (slope, half) = isLevel ? (0, .infinity) : (ux / uy, outer / abs(uy))
            (slant, across) = isUpright ? (0, .infinity) : (-uy / ux, length / ux)
        }

        /// Returns the first and the last x of the band in a row. The first is larger than the last if the row does not cross the
        /// band.
        @inline(__always)
        func reach(in y: Double) -> (Double, Double) {
            var (low, high) = (y * slope - half, y * slope + half)
            if across.isFinite {
                let (one, other) = (y * slant, y * slant + across)
                low = max(low, min(one, other))
                high = min(high, max(one, other))
            }
            // A row cannot cross the sides of a horizontal segment, or the end lines of a vertical one.
            if !(low <= high) || half == .infinity && abs(y) > outer || across == .infinity && y * (y - end.y) > 0 {
                (low, high) = (.infinity, -.infinity)
            }
            if abs(y) <= outer {
                let half = (outer * outer - y * y).squareRoot()
                (low, high) = (min(low, -half), max(high, half))
            }
            let below = y - end.y
            if abs(below) <= outer {
                let half = (outer * outer - below * below).squareRoot()
                (low, high) = (min(low, end.x - half), max(high, end.x + half))
            }
            return (low, high)
        }
    }

    /// Paints the covered pixels with the context's source.
    func paint(_ context: OpaquePointer) {
        guard columns > 0, rows > 0 else { return }
        let mask = cairo_image_surface_create_for_data(
            coverage, CAIRO_FORMAT_A8, Int32(columns), Int32(rows), Int32(stride))
        cairo_save(context)
        cairo_identity_matrix(context)
        cairo_mask_surface(context, mask, Double(left), Double(top))
        cairo_restore(context)
        cairo_surface_finish(mask)
        cairo_surface_destroy(mask)
    }
}
