/// A picture as a list of marks in drawing order, which can be written as SVG or PNG. The unit is a pixel in SVG; PNG may have
/// several pixels per unit. y points down.
struct Picture: Sendable {
    /// A position in the picture.
    struct Place: Hashable, Sendable {
        var x, y: Double
    }

    /// A color. Its components and its opacity are from 0 to 1.
    struct Color: Hashable, Sendable {
        var red, green, blue: Double
        var alpha = 1.0

        /// Creates a color from six hexadecimal digits, such as `0x1B2A49`.
        init(_ rgb: UInt32, alpha: Double = 1) {
            red = Double(rgb >> 16 & 255) / 255
            green = Double(rgb >> 8 & 255) / 255
            blue = Double(rgb & 255) / 255
            self.alpha = alpha
        }
    }

    /// The closed boundary of a filled area. All contours of a fill have the same orientation, so that overlaps stay filled.
    enum Contour: Sendable {
        case polygon([Place])
        case circle(Place, radius: Double)
    }

    /// One drawn element.
    enum Mark: Sendable {
        /// The union of the areas inside the contours.
        case fill([Contour], Color)
        /// A line with round ends and corners.
        case line([Place], width: Double, Color)
        /// A filled rectangle with round corners.
        case box(Place, width: Double, height: Double, radius: Double, Color)
        /// Text that starts at a position on the base line, or is centered there.
        case text(String, Place, size: Double, isBold: Bool, isCentered: Bool, Color)
    }

    /// The size of the picture.
    let width, height: Double

    /// The color of the background.
    let background: Color

    /// The marks, in drawing order.
    var marks: [Mark] = []
}

extension Picture {
    /// The assumed width of a character, relative to the font size. The value fits a wide font, so that the layout of a picture
    /// does not depend on the font that a viewer uses.
    private static let wide = 0.66

    /// Returns the assumed width of a text, in units of the picture. In most fonts, the text is narrower.
    static func width(of text: String, size: Double) -> Double { wide * size * Double(text.count) }

    /// Shortens text to a width. It leaves out the middle, and keeps more of the end than of the beginning: paths and long names
    /// usually differ at the end.
    static func fitted(_ text: String, size: Double, width: Double) -> String {
        let printable = text.drawable.unicodeScalars.map(Character.init)
        let most = max(Int(width / (wide * size)), 1)
        guard printable.count > most else { return String(printable) }
        let head = (most - 1) / 3
        return String(printable.prefix(head)) + "…" + String(printable.suffix(max(most - 1 - head, 1)))
    }
}

extension String {
    /// The text with only characters that a picture can show. Characters that XML or Cairo rejects (control characters, U+FFFE and
    /// other noncharacters) become U+FFFD. O(length).
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
