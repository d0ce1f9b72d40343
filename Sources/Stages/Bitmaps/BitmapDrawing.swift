import Pipeline

/// Pictures of bitmaps for a terminal.
public enum BitmapDrawing {
    /// The cells of a bitmap and its number, as Scribe's `printToConsole` shows them: a line a row, then the 64 bits in
    /// hexadecimal, as files and messages have them, and as a number.
    public static func text(_ bits: UInt64) -> String {
        let bitmap = Bitmap(bits: bits)
        var text = ""
        for row in 0..<Bitmap.side {
            let cells = (0..<Bitmap.side).map { bitmap[row: row, column: $0] ? "■" : "·" }
            text += cells.joined(separator: " ") + "\n"
        }
        return text + "\(bits.hexadecimal) = \(bits)"
    }

    /// The cells of a gesture drawn with the defaults of ``Rasterize``; nil for one that cannot be drawn.
    public static func text(_ stroke: Stroke) -> String? {
        guard let bitmap = try? firstOutput(of: Rasterize(), for: Frame(stroke, at: .zero)) else { return nil }
        return text(bitmap.bits)
    }
}

extension UInt64 {
    /// The number in 16 hexadecimal digits.
    package var hexadecimal: String {
        let digits = String(self, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
