import Pipeline
import Stages

extension Bitmap: WirePayload {
    public static let summary = "An 8×8 bitmap"
    public static var _blank: Bitmap { Bitmap(bits: 0) }

    public static func _visit<V: FieldVisitor<Bitmap>>(_ fields: inout V) throws(V.Failure) {
        try fields.visit(
            WireKeys(.bits), required: WireKeys(.bits),
            write: { bitmap, json in
                json.literal(WireKey.bits.member)
                json.byte(UInt8(ascii: "\""))
                json.hexadecimal(bitmap.pointee.bits)
                json.byte(UInt8(ascii: "\""))
            },
            read: { bitmap, message throws(PipelineError) in
                try message.require(.bits)
                bitmap.bits = message.bits
            })
        try fields.extent()
    }

    public static func _write(rowsOf bitmap: Bitmap?, _ prefix: TextBuffer, into csv: inout TextBuffer) {
        csv.row(prefix) {
            $0.column("start_us", bitmap?.start)
            $0.column("end_us", bitmap?.end)
            $0.column("label", bitmap?.label)
            $0.column("bits", hexadecimal: bitmap?.bits)
        }
    }

    public func _summarize(into text: inout TextBuffer) {
        text.hexadecimal(bits)
        text.plain(blackCells == 1 ? "  1 cell" : "  \(blackCells) cells")
        if let label { text.plain(", \(label.shown)") }
    }
}

extension UInt64 {
    /// Parses a number from exactly 16 hexadecimal digits. Returns `nil` for anything else. Messages carry 64-bit values in this
    /// form, because a JSON number is exact only up to 2^53.
    init?(hexadecimal digits: UnsafeRawBufferPointer) {
        guard digits.count == 16 else { return nil }
        var value: UInt64 = 0
        for digit in digits {
            guard let digit = Character(Unicode.Scalar(digit)).hexDigitValue else { return nil }
            value = value << 4 | UInt64(digit)
        }
        self = value
    }
}

extension TextBuffer {
    /// Writes a number as 16 hexadecimal digits.
    mutating func hexadecimal(_ number: UInt64) {
        for place in 0..<16 {
            let digit = UInt8(truncatingIfNeeded: number >> UInt64(60 - 4 * place)) & 15
            byte(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
        }
    }
}
