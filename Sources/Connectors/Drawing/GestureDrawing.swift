import Pipeline
import Stages

/// Drawings of strokes and hands, as text for a terminal and as SVG.
public enum GestureDrawing {
    /// Draws a stroke in Braille characters, each of which is two dots wide and four dots high. The stroke keeps its proportions
    /// and is as large as possible.
    ///
    /// - Parameters:
    ///   - stroke: The stroke.
    ///   - columns: The maximum number of characters per line.
    ///   - rows: The maximum number of lines.
    /// - Returns: Lines without trailing spaces, joined by line feeds; empty if the stroke cannot be drawn.
    /// - Complexity: O(samples + dots).
    public static func text(_ stroke: Stroke, columns: Int = 32, rows: Int = 12) -> String {
        text(lines(of: stroke), columns: columns, rows: rows)
    }

    /// Draws a hand in the same way, as lines between its joints.
    public static func text(_ hand: Landmarks, columns: Int = 32, rows: Int = 12) -> String {
        text(lines(of: hand), columns: columns, rows: rows)
    }

    private static func lines(of stroke: Stroke) -> [[Picture.Place]] {
        guard (try? stroke.check()) != nil else { return [] }
        return stroke.strokeRanges.map { range in stroke.samples[range].map { Picture.Place(x: $0.x, y: $0.y) } }
    }

    private static func lines(of hand: Landmarks) -> [[Picture.Place]] {
        guard (try? hand.check(.hand21)) != nil else { return [] }
        return Skeleton.bones(of: hand.topology).map { bone in
            [hand.points[bone.from], hand.points[bone.to]].map { Picture.Place(x: $0.x, y: $0.y) }
        }
    }

    private static func text(_ strokes: [[Picture.Place]], columns: Int, rows: Int) -> String {
        let (width, height) = (2 * min(max(columns, 1), 500), 4 * min(max(rows, 1), 500))
        guard let frame = Frame(strokes, width: Double(width - 1), height: Double(height - 1)) else { return "" }
        var dots = [UInt8](repeating: 0, count: width / 2 * (height / 4))
        func set(_ x: Int, _ y: Int) {
            guard (0..<width).contains(x), (0..<height).contains(y) else { return }
            // The bits of U+2800: dots 1 to 3 and 7 are in the left column, 4 to 6 and 8 in the right one.
            let bit: [[UInt8]] = [[0x01, 0x08], [0x02, 0x10], [0x04, 0x20], [0x40, 0x80]]
            dots[y / 4 * (width / 2) + x / 2] |= bit[y % 4][x % 2]
        }
        for stroke in strokes {
            var last: (x: Double, y: Double)?
            for place in stroke {
                let point = frame.place(place)
                let from = last ?? point
                let steps = max(1, Int(max(abs(point.x - from.x), abs(point.y - from.y)).rounded(.up)))
                for step in 0...steps {
                    let share = Double(step) / Double(steps)
                    set(
                        Int((from.x + share * (point.x - from.x)).rounded()),
                        Int((from.y + share * (point.y - from.y)).rounded()))
                }
                last = point
            }
        }
        var lines: [String] = []
        for row in 0..<(height / 4) {
            var line = ""
            var pending = ""
            for cell in dots[(row * width / 2)..<((row + 1) * width / 2)] {
                // An empty cell is a space. Trailing spaces are left out, so that text copied from the terminal contains only what
                // is visible.
                guard cell != 0, let scalar = Unicode.Scalar(0x2800 + UInt32(cell)) else {
                    pending += " "
                    continue
                }
                line += pending
                line.unicodeScalars.append(scalar)
                pending = ""
            }
            lines.append(line)
        }
        while lines.last == "" { lines.removeLast() }
        return lines.joined(separator: "\n")
    }

    /// Draws the samples of a gesture side by side, as an SVG document: first strokes with a dot at the beginning, then hands with
    /// their joints, then bitmaps as their black cells.
    ///
    /// - Parameters:
    ///   - gesture: The gesture.
    ///   - most: The maximum number of samples to draw.
    /// - Complexity: O(points of the samples).
    public static func svg(_ gesture: GestureLibrary.Gesture, most: Int = 100) -> String {
        let (cell, columns) = (120.0, 5)
        let strokes = gesture.samples.map { (lines: lines(of: $0), isHand: false) }
        let hands = gesture.hands.map { (lines: lines(of: $0), isHand: true) }
        let samples = (strokes + hands).prefix(max(most, 0))
        let patterns = gesture.patterns.prefix(max(most, 0) - samples.count)
        let count = samples.count + patterns.count
        let rows = (count + columns - 1) / columns
        let (width, height) = (cell * Double(min(max(count, 1), columns)), cell * Double(max(rows, 1)) + 24)
        func corner(_ number: Int) -> (left: Double, top: Double) {
            (cell * Double(number % columns) + 10, cell * Double(number / columns) + 34)
        }
        var svg =
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 \(twoDecimals(width)) \(twoDecimals(height))\""
        svg +=
            " fill=\"none\" stroke=\"#1f4e79\" stroke-width=\"2\" stroke-linecap=\"round\" stroke-linejoin=\"round\">\n"
        svg += "<text x=\"6\" y=\"17\" font-family=\"sans-serif\" font-size=\"14\" fill=\"#333\" stroke=\"none\">"
        svg += "\(escaped(gesture.name)), \(gesture.sampleCount) samples</text>\n"
        for (number, sample) in samples.enumerated() {
            let (left, top) = corner(number)
            svg += drawing(of: sample.lines, isHand: sample.isHand, left, top, side: cell - 20)
        }
        for (number, pattern) in patterns.enumerated() {
            let (left, top) = corner(samples.count + number)
            svg += cells(of: Bitmap(bits: pattern), left, top, side: cell - 20)
        }
        return svg + "</svg>\n"
    }

    /// Returns SVG elements that draw the lines, with a dot at the beginning of each stroke or at each joint of a hand.
    private static func drawing(
        of lines: [[Picture.Place]], isHand: Bool, _ left: Double, _ top: Double, side: Double
    ) -> String {
        guard let frame = Frame(lines, width: side, height: side) else { return "" }
        var svg = ""
        func dot(_ at: (x: Double, y: Double), _ radius: Double) -> String {
            "<circle cx=\"\(twoDecimals(left + at.x))\" cy=\"\(twoDecimals(top + at.y))\" r=\"\(twoDecimals(radius))\""
                + " fill=\"#c0392b\" stroke=\"none\"/>\n"
        }
        for line in lines {
            let places = line.map(frame.place)
            let points = places.map { "\(twoDecimals(left + $0.x)),\(twoDecimals(top + $0.y))" }
            svg += "<polyline points=\"\(points.joined(separator: " "))\"/>\n"
            if let first = places.first, !isHand { svg += dot(first, 3) }
        }
        // The joints of a hand are drawn over its bones.
        if isHand { for end in lines.compactMap(\.last) { svg += dot(frame.place(end), 1.8) } }
        return svg
    }

    /// Draws a single sample as an SVG element of a web page. O(points).
    static func svg(_ sample: Subject, side: Double) -> String {
        var svg =
            "<svg width=\"\(twoDecimals(side))\" height=\"\(twoDecimals(side))\" viewBox=\"0 0 \(twoDecimals(side)) \(twoDecimals(side))\""
        svg +=
            " fill=\"none\" stroke=\"#1f4e79\" stroke-width=\"2\" stroke-linecap=\"round\" stroke-linejoin=\"round\">\n"
        switch sample {
        case .stroke(let stroke): svg += drawing(of: lines(of: stroke), isHand: false, 8, 8, side: side - 16)
        case .landmarks(let hand): svg += drawing(of: lines(of: hand), isHand: true, 8, 8, side: side - 16)
        }
        return svg + "</svg>"
    }

    private static func cells(of bitmap: Bitmap, _ left: Double, _ top: Double, side: Double) -> String {
        let size = side / Double(Bitmap.side)
        var path = ""
        for row in 0..<Bitmap.side {
            for column in 0..<Bitmap.side where bitmap[row: row, column: column] {
                let (x, y) = (left + Double(column) * size, top + Double(row) * size)
                path +=
                    "M\(twoDecimals(x)),\(twoDecimals(y))h\(twoDecimals(size))v\(twoDecimals(size))h\(twoDecimals(-size))z"
            }
        }
        return "<path d=\"\(path)\" fill=\"#1f4e79\" stroke=\"none\"/>\n"
    }

    /// Returns text that can be embedded in XML.
    package static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in text.drawable.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    /// A mapping that scales lines to fit into a rectangle and centers them. y points down.
    private struct Frame {
        private let (scale, left, top): (Double, Double, Double)

        init?(_ lines: [[Picture.Place]], width: Double, height: Double) {
            let (xs, ys) = (lines.joined().map(\.x), lines.joined().map(\.y))
            guard let minX = xs.min(), let maxX = xs.max(), let minY = ys.min(), let maxY = ys.max() else { return nil }
            let (spanX, spanY) = (maxX - minX, maxY - minY)
            // A single point, or lines that are hardly longer, are not scaled up. They are drawn in the center.
            let fit = min(spanX > 1e-150 ? width / spanX : .infinity, spanY > 1e-150 ? height / spanY : .infinity)
            scale = fit.isFinite ? fit : 1
            left = (width - spanX * scale) / 2 - minX * scale
            top = (height - spanY * scale) / 2 - minY * scale
        }

        func place(_ place: Picture.Place) -> (x: Double, y: Double) {
            (left + place.x * scale, top + place.y * scale)
        }
    }
}
