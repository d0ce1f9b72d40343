import Pipeline

// Frames that failed are written, so that a person can look at them; they are not read.
extension FailedFrame: WireEncodable {
    public static let summary = "A frame that failed"
    public static let _wireKeys = WireKeys(.node, .code, .message, .location, .frame)

    public func _encode(into json: inout TextBuffer) {
        json.literal(",\"node\":")
        json.quoted(node)
        json.literal(",\"code\":")
        json.quoted(error.code)
        json.literal(",\"message\":")
        json.quoted(error.message)
        if let location = error.location {
            json.literal(",\"location\":")
            json.quoted(location)
        }
        guard let frame = frame as? any WireEncodable else { return }
        json.literal(",\"frame\":{\"kind\":")
        json.quoted(type(of: frame).kind.rawValue)
        frame._encode(into: &json)
        json.byte(UInt8(ascii: "}"))
    }

    public static let _columns = "node,code,message,location"

    public func _encodeRows(_ prefix: TextBuffer, into csv: inout TextBuffer) {
        prefix.withBytes { csv.plain($0) }
        csv.cell(node)
        csv.byte(UInt8(ascii: ","))
        csv.cell(error.code)
        csv.byte(UInt8(ascii: ","))
        csv.cell(error.message)
        csv.byte(UInt8(ascii: ","))
        csv.cell(error.location ?? "")
        csv.byte(0x0A)
    }

    public func _summarize(into text: inout TextBuffer) { text.plain("\(node): \(error)".shown) }
}
