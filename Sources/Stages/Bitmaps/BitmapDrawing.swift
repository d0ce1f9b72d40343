import Pipeline

/// Text drawings of 8×8 bitmaps for a terminal.
public enum BitmapDrawing {
    /// Returns the cells of a bitmap, one line per row, in the format of Scribe's `printToConsole`. A last line has the 64 bits in
    /// hexadecimal (as in files and messages) and in decimal.
    public static func text(_ bits: UInt64) -> String {
        let bitmap = Bitmap(bits: bits)
        var text = ""
        for row in 0..<Bitmap.side {
            let cells = (0..<Bitmap.side).map { bitmap[row: row, column: $0] ? "■" : "·" }
            text += cells.joined(separator: " ") + "\n"
        }
        return text + "\(bits.hexadecimal) = \(bits)"
    }

    /// Returns the drawing of a gesture, rasterized with the default options of ``Rasterize``, or `nil` if it cannot be rasterized.
    public static func text(_ stroke: Stroke) -> String? {
        guard let bitmap = try? firstOutput(of: Rasterize(), for: Frame(stroke, at: .zero)) else { return nil }
        return text(bitmap.bits)
    }
}

extension UInt64 {
    /// The number as 16 hexadecimal digits, padded with zeros.
    package var hexadecimal: String {
        let digits = String(self, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
