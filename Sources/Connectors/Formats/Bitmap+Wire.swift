import Pipeline
import Stages

extension Bitmap: WirePayload {
    public static let summary = "A picture of eight by eight cells"
    public static let _wireKeys = WireKeys(.bits, .startUs, .endUs, .label, .subject)
    public static let _requiredKeys = WireKeys(.bits)

    public init(_ message: inout WireMessage) throws(PipelineError) {
        try message.require(.bits)
        self.init(
            bits: message.bits, start: message.extent(.startUs, message.start),
            end: message.extent(.endUs, message.end), label: message.value(.label, message.label),
            subject: try message.madeFrom())
    }

    public func _encode(into json: inout TextBuffer) {
        json.literal(",\"bits\":\"")
        json.hexadecimal(bits)
        json.byte(UInt8(ascii: "\""))
        json.extent(start, end, label, subject)
    }

    public static let _columns = "start_us,end_us,label,bits"

    public func _encodeRows(_ prefix: TextBuffer, into csv: inout TextBuffer) {
        csv.row(prefix) {
            $0.column(start)
            $0.column(end)
            $0.column(label)
            $0.byte(UInt8(ascii: ","))
            $0.hexadecimal(bits)
        }
    }

    public func _summarize(into text: inout TextBuffer) {
        text.hexadecimal(bits)
        text.plain(blackCells == 1 ? "  1 cell" : "  \(blackCells) cells")
        if let label { text.plain(", \(label.shown)") }
    }
}

extension UInt64 {
    /// The number that 16 hexadecimal digits write: 64 bits are not exact in a number of JSON. Nil for anything else.
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
    /// Writes a number in 16 hexadecimal digits.
    mutating func hexadecimal(_ number: UInt64) {
        for place in 0..<16 {
            let digit = UInt8(truncatingIfNeeded: number >> UInt64(60 - 4 * place)) & 15
            byte(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
        }
    }
}
