/// What is to be seen, in the order it is drawn: made once, written as SVG or PNG. The unit is a pixel, y goes down.
struct Picture: Sendable {
    /// A place in the picture.
    struct Place: Hashable, Sendable {
        var x, y: Double
    }

    /// A color, parts and opacity from 0 to 1.
    struct Color: Hashable, Sendable {
        var red, green, blue: Double
        var alpha = 1.0

        /// Six hexadecimal digits as one number: `0x1B2A49`.
        init(_ rgb: UInt32, alpha: Double = 1) {
            red = Double(rgb >> 16 & 255) / 255
            green = Double(rgb >> 8 & 255) / 255
            blue = Double(rgb & 255) / 255
            self.alpha = alpha
        }
    }

    /// A closed way round something filled. All contours of a fill run the same way round, so that what several cover stays
    /// covered.
    enum Contour: Sendable {
        case polygon([Place])
        case circle(Place, radius: Double)
    }

    /// One thing drawn.
    enum Mark: Sendable {
        /// What contours cover together.
        case fill([Contour], Color)
        /// A line with round ends and corners.
        case line([Place], width: Double, Color)
        /// A rectangle with round corners.
        case box(Place, width: Double, height: Double, radius: Double, Color)
        /// Text on a base line, begun or centered at a place.
        case text(String, Place, size: Double, isBold: Bool, isCentered: Bool, Color)
    }

    /// Its size.
    let width, height: Double

    /// What is behind everything.
    let background: Color

    /// What is drawn, first to last.
    var marks: [Mark] = []
}

extension Picture {
    /// The width of a character of a wide font of size 1: fonts differ, and a picture must not depend on one.
    private static let wide = 0.66

    /// How wide a text is at most.
    static func width(of text: String, size: Double) -> Double { wide * size * Double(text.count) }

    /// Text cut to a width. What tells paths and long names apart mostly stands at the end, so the middle is left out, and
    /// more of the end is kept than of the beginning.
    static func fitted(_ text: String, size: Double, width: Double) -> String {
        let printable = text.drawable.unicodeScalars.map(Character.init)
        let most = max(Int(width / (wide * size)), 1)
        guard printable.count > most else { return String(printable) }
        let head = (most - 1) / 3
        return String(printable.prefix(head)) + "…" + String(printable.suffix(max(most - 1 - head, 1)))
    }
}

extension String {
    /// The text as a picture can show it: what neither XML nor Cairo takes (control characters, U+FFFE and what else no character
    /// ever is) stands as U+FFFD. O(length).
    var drawable: String {
        var result = String.UnicodeScalarView()
        for scalar in unicodeScalars {
            switch scalar.value {
            case 0x09, 0x0A, 0x0D: result.append(" ")
            case 0..<0x20, 0x7F..<0xA0, 0xFDD0...0xFDEF: result.append("\u{FFFD}")
            case let value where value & 0xFFFE == 0xFFFE: result.append("\u{FFFD}")
            default: result.append(scalar)
            }
        }
        return String(result)
    }
}
