import CCairo
import Pipeline

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// How much of each pixel a long line with round ends and corners covers.
///
/// Cairo sorts all edges of what it draws and visits every pixel between the outermost, so that a line that jumps to and fro costs it
/// far more than the pixels it covers. Here the pixels beside each segment are visited, row by row: O(length · width) for a segment.
/// Where segments overlap the larger coverage counts, so that neither joints nor crossings show. A pixel differs from what Cairo makes
/// of it by at most a tenth, where the line is two pixels wide or more.
struct LineMask: ~Copyable {
    /// The pixels it reaches over: the first column and row, and how many.
    private let left, top, columns, rows: Int
    private let stride: Int
    private let radius: Double
    private let coverage: UnsafeMutablePointer<UInt8>

    /// Makes an empty mask.
    ///
    /// - Parameters:
    ///   - places: All places of the line, in pixels.
    ///   - radius: Half the line's width, in pixels.
    ///   - width: How many columns and rows of pixels there are.
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
        // Places relative to the middle of the first pixel.
        let (ax, ay) = (a.x - Double(left) - 0.5, a.y - Double(top) - 0.5)
        // Nearer no pixel is to be missed: half a diagonal.
        let outer = radius + 0.71
        let side = Side(x: uy, y: ux)
        // What is nearer lies within altogether.
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

    /// How much of a pixel lies on one side of a straight edge.
    private struct Side {
        /// The larger and the smaller part of the direction across the edge.
        private let larger, smaller: Double

        init(x: Double, y: Double) { (larger, smaller) = (max(abs(x), abs(y)), min(abs(x), abs(y))) }

        /// How far from its middle a pixel reaches across the edge.
        var half: Double { (larger + smaller) / 2 }

        /// How much of a pixel, whose middle lies so far from the middle of a strip, the strip covers.
        @inline(__always)
        func part(_ distance: Double, _ radius: Double) -> Double {
            max(0, behind(radius - distance) - (radius < 0.75 ? behind(-radius - distance) : 0))
        }

        /// How much lies behind an edge that is so far before the middle of the pixel.
        @inline(__always)
        private func behind(_ distance: Double) -> Double {
            let far = abs(distance)
            guard far < half else { return distance > 0 ? 1 : 0 }
            var part = far / larger
            if far > (larger - smaller) / 2 {
                // A corner is left over.
                let rest = half - far
                part = 0.5 - rest * rest / (2 * larger * smaller)
            }
            return distance > 0 ? 0.5 + part : 0.5 - part
        }
    }

    /// What lies within `outer` of a segment that begins at 0 and runs `length` along (ux, uy).
    private struct Band {
        private let outer: Double
        private let end: Picture.Place
        /// Where a row crosses the sides: at `slope` times y, and `half` to both sides of it. Infinite for level segments.
        private let slope, half: Double
        /// Where it crosses the lines across the ends: from `slant` times y, `across` wide. Infinite for upright segments.
        private let slant, across: Double

        init(ux: Double, uy: Double, length: Double, outer: Double) {
            self.outer = outer
            end = Picture.Place(x: ux * length, y: uy * length)
            let (isLevel, isUpright) = (abs(uy) < 1e-9, abs(ux) < 1e-9)
            (slope, half) = isLevel ? (0, .infinity) : (ux / uy, outer / abs(uy))
            (slant, across) = isUpright ? (0, .infinity) : (-uy / ux, length / ux)
        }

        /// From where to where a row crosses it; from more to less where it does not.
        @inline(__always)
        func reach(in y: Double) -> (Double, Double) {
            var (low, high) = (y * slope - half, y * slope + half)
            if across.isFinite {
                let (one, other) = (y * slant, y * slant + across)
                low = max(low, min(one, other))
                high = min(high, max(one, other))
            }
            // Level segments have no sides that a row could cross, and upright ones no lines across.
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

    /// Paints what is covered, with the source and where the context paints.
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
