import Pipeline

// Failed frames are written so that people can look at them. They cannot be read.
extension FailedFrame: WireEncodable {
    public static let summary = "A frame that failed"
    public static let _wireKeys = WireKeys(.node, .code, .message, .location, .frame)

    public func _encode(into json: inout TextBuffer) {
        json.member(",\"node\":", node)
        json.member(",\"code\":", error.code)
        json.member(",\"message\":", error.message)
        json.member(",\"location\":", error.location)
        guard let frame = frame as? any WireEncodable else { return }
        json.literal(",\"frame\":{\"kind\":")
        json.quoted(type(of: frame).kind.rawValue)
        frame._encode(into: &json)
        json.byte(UInt8(ascii: "}"))
    }

    public static let _columns = "node,code,message,location"

    public func _encodeRows(_ prefix: TextBuffer, into csv: inout TextBuffer) {
        csv.row(prefix) {
            $0.column(node)
            $0.column(error.code)
            $0.column(error.message)
            $0.column(error.location ?? "")
        }
    }

    public func _summarize(into text: inout TextBuffer) { text.plain("\(node): \(error)".shown) }
}
