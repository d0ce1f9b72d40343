import Pipeline

extension EvaluationReport {
    /// Accuracy over the number of templates as an SVG document, a line for each number of users.
    public var svg: String { String(decoding: plot.svg(), as: UTF8.self) }

    /// The same as a PNG file.
    ///
    /// - Throws: An environment error when there is not enough memory.
    public func png() throws -> [UInt8] { try plot.png(scale: 2) }

    /// One line of the plot.
    private struct Line {
        let name: String
        let color: Picture.Color
        let isDashed: Bool
        let places: [(templates: Int, share: Double)]
    }

    private static let colors: [Picture.Color] = [
        .init(0x1F4E79), .init(0xC0392B), .init(0x27784A), .init(0x8E5AA8), .init(0xB9770E),
    ]
    private static let ink = Picture.Color(0x30384A)
    private static let faint = Picture.Color(0xDDDDDD)
    private static let text = 11.0

    private var lines: [Line] {
        Set(rows.map(\.users)).sorted().enumerated().flatMap { number, users in
            let rows = rows.filter { $0.users == users }.sorted { $0.templates < $1.templates }
            let note = users == 0 ? "" : ", \(Self.counted(users, "user"))"
            let color = Self.colors[number % Self.colors.count]
            return [
                Line(
                    name: "recognised" + note, color: color, isDashed: false,
                    places: rows.map { ($0.templates, $0.accuracy) }),
                Line(
                    name: "recognised and accepted at 5 % false accepts" + note, color: color, isDashed: true,
                    places: rows.map { ($0.templates, $0.acceptedAt5) }),
            ]
        }
    }

    private static func counted(_ number: Int, _ noun: String) -> String {
        "\(number) \(noun)\(number == 1 ? "" : "s")"
    }

    /// Where the scale of shares begins, and how far its marks lie apart, in per cent: round numbers, at most six marks.
    static func scale(from lowest: Double) -> (floor: Int, step: Int) {
        let lowest = min(max(lowest * 100, 0), 100)
        for step in [1, 2, 5, 10, 20] {
            let floor = Int((lowest / Double(step)).rounded(.down)) * step
            if 100 - floor <= 5 * step, floor < 100 { return (floor, step) }
        }
        return (99, 1)
    }

    private var plot: Picture {
        let lines = lines
        let (width, left, right, top, height) = (560.0, 56.0, 24.0, 36.0, 240.0)
        let legend = top + height + 48
        var picture = Picture(width: width, height: legend + 16 * Double(lines.count), background: .init(0xFFFFFF))
        let shares = lines.flatMap(\.places).map(\.share)
        let (floor, step) = Self.scale(from: shares.min() ?? 0)
        let counts = rows.map(\.templates)
        let (least, most) = (Double(counts.min() ?? 1), Double(counts.max() ?? 1))
        func x(_ templates: Int) -> Double {
            // One number of templates stands in the middle.
            let share = most > least ? (Double(templates) - least) / (most - least) : 0.5
            return left + (width - left - right) * share
        }
        func y(_ percent: Double) -> Double { top + height * (100 - percent) / Double(100 - floor) }
        func text(_ text: String, _ x: Double, _ y: Double, isCentred: Bool = false, isBold: Bool = false) {
            picture.marks.append(
                .text(text, .init(x: x, y: y), size: Self.text, isBold: isBold, isCentred: isCentred, Self.ink))
        }
        text(
            Picture.fitted("\(method), \(design.rawValue)", size: Self.text, width: width - left - right), left, 18,
            isBold: true)
        for percent in stride(from: floor, through: 100, by: step) {
            let height = y(Double(percent))
            picture.marks.append(
                .line([.init(x: left, y: height), .init(x: width - right, y: height)], width: 1, Self.faint))
            text("\(percent) %", 14, height + 4)
        }
        var last = -Double.infinity
        for templates in Set(counts).sorted() where x(templates) - last >= 24 {
            last = x(templates)
            text("\(templates)", last, top + height + 16, isCentred: true)
        }
        text("templates per class", left + (width - left - right) / 2, top + height + 34, isCentred: true)
        for (number, line) in lines.enumerated() {
            let places = line.places.map { Picture.Place(x: x($0.templates), y: y($0.share * 100)) }
            picture.marks += Self.marks(of: places, line)
            let base = legend + 16 * Double(number) + 4
            picture.marks += Self.marks(
                of: [.init(x: left, y: base), .init(x: left + 30, y: base)], line, hasDots: false)
            text(line.name, left + 40, base + 4)
        }
        return picture
    }

    /// A line with a dot at each place.
    private static func marks(of places: [Picture.Place], _ line: Line, hasDots: Bool = true) -> [Picture.Mark] {
        let parts = line.isDashed ? dashes(places, on: 5, off: 4) : places.count > 1 ? [places] : []
        let dots: [Picture.Mark] = places.map { .fill([.circle($0, radius: 2.5)], line.color) }
        return parts.map { .line($0, width: 2, line.color) } + (hasDots ? dots : [])
    }

    /// A way cut into dashes. O(length).
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
