extension Picture {
    /// Returns the picture as an SVG document. O(marks).
    func svg() -> [UInt8] {
        var out = TextBuffer(capacity: 1 << 16)
        out.literal("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"")
        out.short(width)
        out.literal("\" height=\"")
        out.short(height)
        out.literal("\" viewBox=\"0 0 ")
        out.short(width)
        out.literal(" ")
        out.short(height)
        out.literal("\" font-family=\"'Helvetica Neue', Helvetica, Arial, 'DejaVu Sans', sans-serif\">\n")
        out.literal("<rect width=\"100%\" height=\"100%\"")
        out.paint("fill", background)
        for mark in marks { Self.write(mark, into: &out) }
        out.literal("</svg>\n")
        return out.bytes
    }

    private static func write(_ mark: Mark, into out: inout TextBuffer) {
        switch mark {
        case .fill(let contours, let color):
            out.literal("<path d=\"")
            for contour in contours { write(contour, into: &out) }
            out.literal("\"")
            out.paint("fill", color)
        case .line(let places, let width, let color):
            // A line of one point needs a second, equal point to appear as a dot.
            out.literal("<polyline points=\"")
            for place in places.count == 1 ? [places[0], places[0]] : places { out.place(place) }
            out.literal("\" fill=\"none\" stroke-linecap=\"round\" stroke-linejoin=\"round\" stroke-width=\"")
            out.short(width)
            out.literal("\"")
            out.paint("stroke", color)
        case .box(let corner, let width, let height, let radius, let color):
            out.attributes(
                "<rect", [("x", corner.x), ("y", corner.y), ("width", width), ("height", height), ("rx", radius)])
            out.paint("fill", color)
        case .text(let text, let place, let size, let isBold, let isCentered, let color):
            out.attributes("<text", [("x", place.x), ("y", place.y), ("font-size", size)])
            if isCentered { out.literal(" text-anchor=\"middle\"") }
            if isBold { out.literal(" font-weight=\"600\"") }
            out.paint("fill", color, closes: false)
            out.plain(GestureDrawing.escaped(text))
            out.literal("</text>\n")
        }
    }

    private static func write(_ contour: Contour, into out: inout TextBuffer) {
        switch contour {
        case .polygon(let corners):
            for (i, corner) in corners.enumerated() {
                out.literal(i == 0 ? "M" : i == 1 ? "L" : " ")
                out.short(corner.x)
                out.literal(" ")
                out.short(corner.y)
            }
        case .circle(let center, let radius):
            out.literal("M")
            out.short(center.x - radius)
            out.literal(" ")
            out.short(center.y)
            // Two half circles, with the same orientation as polygons.
            for way in [2.0, -2] {
                out.literal("a")
                out.short(radius)
                out.literal(" ")
                out.short(radius)
                out.literal(" 0 1 0 ")
                out.short(way * radius)
                out.literal(" 0")
            }
        }
        out.literal("z")
    }
}

extension TextBuffer {
    /// Writes a number with at most two decimals.
    fileprivate mutating func short(_ number: Double) { self.number((number * 100).rounded() / 100 + 0) }

    fileprivate mutating func place(_ place: Picture.Place) {
        short(place.x)
        literal(",")
        short(place.y)
        literal(" ")
    }

    fileprivate mutating func attributes(_ tag: StaticString, _ numbers: [(name: StaticString, value: Double)]) {
        literal(tag)
        for (name, value) in numbers {
            literal(" ")
            literal(name)
            literal("=\"")
            short(value)
            literal("\"")
        }
    }

    /// Writes a color attribute and, if `closes` is set, ends the empty element.
    fileprivate mutating func paint(_ what: StaticString, _ color: Picture.Color, closes: Bool = true) {
        func hexadecimal(_ part: Double) -> String {
            let text = String(Int((part * 255).rounded()), radix: 16)
            return text.count == 1 ? "0" + text : text
        }
        literal(" ")
        literal(what)
        plain("=\"#\(hexadecimal(color.red))\(hexadecimal(color.green))\(hexadecimal(color.blue))\"")
        if color.alpha < 1 {
            literal(" ")
            literal(what)
            literal("-opacity=\"")
            short(color.alpha)
            literal("\"")
        }
        literal(closes ? "/>\n" : ">")
    }
}
