import Pipeline

/// A line plot over two axes with a legend below, drawn as a ``Picture``.
struct LinePlot {
    /// A line of the plot.
    struct Line {
        var name: String
        var places: [Picture.Place]
        var isDashed = false
        /// The index of the line's color. Lines that belong together share a color.
        var color = 0
        var hasDots = true
        var hasLine = true
    }

    /// The range, title and marks of an axis.
    struct Axis {
        var title: String
        var marks: [(value: Double, text: String)]
        /// Whether the axis is logarithmic: equal ratios, rather than equal differences, are equally far apart.
        var isLogarithmic = false

        /// Returns an axis in whole percent that ends at 100 and starts at or below `lowest`. It has two to six marks at round
        /// numbers.
        static func percent(_ title: String, from lowest: Double) -> Axis {
            let (floor, step) = scale(from: lowest)
            return Axis(
                title: title,
                marks: stride(from: floor, through: 100, by: step).map { (Double($0) / 100, "\($0) %") })
        }

        /// Returns the start of a percentage scale and the distance between its marks, in percent. Both are round numbers, and the
        /// scale has at most six marks.
        static func scale(from lowest: Double) -> (floor: Int, step: Int) {
            let lowest = min(max(lowest * 100, 0), 100)
            for step in [1, 2, 5, 10, 20] {
                let floor = Int((lowest / Double(step)).rounded(.down)) * step
                if 100 - floor <= 5 * step, floor < 100 { return (floor, step) }
            }
            return (99, 1)
        }

        /// Returns the position of a value on the axis, from 0 to 1. With a single mark, the position is the middle.
        func share(of value: Double) -> Double {
            guard let low = marks.first?.value, let high = marks.last?.value, high > low else { return 0.5 }
            guard isLogarithmic else { return (value - low) / (high - low) }
            return (logarithm(value) - logarithm(low)) / (logarithm(high) - logarithm(low))
        }

        /// Returns an approximate binary logarithm, computed from exponent and significand. It is precise enough for a picture.
        private func logarithm(_ value: Double) -> Double {
            let value = max(value, 1e-12)
            return Double(value.exponent) + (value.significand - 1) * (1.34 - 0.34 * (value.significand - 1))
        }
    }

    static let colors: [Picture.Color] = [
        .init(0x1F4E79), .init(0xC0392B), .init(0x27784A), .init(0x8E5AA8), .init(0xB9770E), .init(0x3C8DAD),
    ]
    private static let ink = Picture.Color(0x30384A)
    private static let faint = Picture.Color(0xDDDDDD)
    private static let size = 11.0

    var title: String
    var x: Axis
    var y: Axis
    var lines: [Line]

    /// The drawn plot.
    ///
    /// - Complexity: O(*n*), where *n* is the number of points.
    var picture: Picture {
        let (width, left, right, top, height) = (560.0, 56.0, 24.0, 36.0, 240.0)
        let legend = top + height + 48
        let named = lines.filter { !$0.name.isEmpty }
        var picture = Picture(width: width, height: legend + 16 * Double(named.count), background: .init(0xFFFFFF))
        func place(_ place: Picture.Place) -> Picture.Place {
            let across = min(max(x.share(of: place.x), 0), 1)
            let up = min(max(y.share(of: place.y), 0), 1)
            return Picture.Place(x: left + (width - left - right) * across, y: top + height * (1 - up))
        }
        func text(_ text: String, _ x: Double, _ y: Double, isCentered: Bool = false, isBold: Bool = false) {
            picture.marks.append(
                .text(text, .init(x: x, y: y), size: Self.size, isBold: isBold, isCentered: isCentered, Self.ink))
        }
        text(Picture.fitted(title, size: Self.size, width: width - left - right), left, 18, isBold: true)
        for mark in y.marks {
            let height = place(.init(x: 0, y: mark.value)).y
            picture.marks.append(
                .line([.init(x: left, y: height), .init(x: width - right, y: height)], width: 1, Self.faint))
            text(mark.text, 10, height + 4)
        }
        var last = -Double.infinity
        for mark in x.marks {
            let across = place(.init(x: mark.value, y: 0)).x
            guard across - last >= 30 else { continue }
            last = across
            text(mark.text, last, top + height + 16, isCentered: true)
        }
        text(x.title, left + (width - left - right) / 2, top + height + 34, isCentered: true)
        for line in lines { picture.marks += Self.marks(of: line.places.map(place), line) }
        for (number, line) in named.enumerated() {
            let base = legend + 16 * Double(number) + 4
            let ends = line.hasLine ? [left, left + 30] : [left + 15]
            let places = ends.map { Picture.Place(x: $0, y: base) }
            var sample = line
            sample.hasDots = line.places.count == 1 || !line.hasLine
            picture.marks += Self.marks(of: places, sample)
            text(Picture.fitted(line.name, size: Self.size, width: width - left - 64), left + 40, base + 4)
        }
        return picture
    }

    /// Returns a line's marks, with a dot at each point.
    private static func marks(of places: [Picture.Place], _ line: Line) -> [Picture.Mark] {
        let color = colors[line.color % colors.count]
        let way = line.hasLine && places.count > 1 ? [places] : []
        let parts = line.isDashed ? dashes(places, on: 5, off: 4) : way
        // Without a line, only the dots are visible, so they are larger.
        let dots: [Picture.Mark] = places.map { .fill([.circle($0, radius: line.hasLine ? 2.5 : 4)], color) }
        return parts.map { .line($0, width: 2, color) } + (line.hasDots ? dots : [])
    }

    /// Cuts a polyline into dashes.
    ///
    /// - Complexity: O(*n*), where *n* is the length of the polyline.
    private static func dashes(_ places: [Picture.Place], on: Double, off: Double) -> [[Picture.Place]] {
        var parts: [[Picture.Place]] = []
        for (a, b) in zip(places, places.dropFirst()) {
            let length = ((b.x - a.x) * (b.x - a.x) + (b.y - a.y) * (b.y - a.y)).squareRoot()
            guard length > 0 else { continue }
            func place(_ at: Double) -> Picture.Place {
                Picture.Place(x: a.x + (b.x - a.x) * at / length, y: a.y + (b.y - a.y) * at / length)
            }
            for begin in stride(from: 0, to: length, by: on + off) {
                parts.append([place(begin), place(min(begin + on, length))])
            }
        }
        return parts
    }
}
