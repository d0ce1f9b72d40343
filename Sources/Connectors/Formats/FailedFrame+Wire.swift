import Pipeline

// Frames that failed are written, so that a person can look at them; they are not read.
extension FailedFrame: WireEncodable {
    package static let wireKeys = WireKeys(.node, .code, .message, .location, .frame)

    package func encode(into json: inout TextBuffer) {
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
        frame.encode(into: &json)
        json.byte(UInt8(ascii: "}"))
    }

    package static let columns = "node,code,message,location"

    package func encodeRows(_ prefix: TextBuffer, into csv: inout TextBuffer) {
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

    package func summarize(into text: inout TextBuffer) { text.plain("\(node): \(error)".shown) }
}
