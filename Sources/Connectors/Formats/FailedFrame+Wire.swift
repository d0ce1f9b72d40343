import Pipeline

// Failed frames are written for people to look at. They cannot be read back.
extension FailedFrame: WireEncodable {
    public static let summary = "A frame that failed"

    public static func _visit<V: FieldVisitor<FailedFrame>>(_ fields: inout V) throws(V.Failure) {
        try fields.visit(
            WireKeys(.node, .code, .message, .location, .frame), required: [],
            write: { failed, json in
                let failed = failed.pointee
                json.member(.node, failed.node)
                json.member(.code, failed.error.code)
                json.member(.message, failed.error.message)
                json.member(.location, failed.error.location)
                guard let frame = failed.frame as? any WireEncodable else { return }
                json.literal(",\"frame\":{\"kind\":")
                json.quoted(type(of: frame).kind.rawValue)
                frame.encode(into: &json)
                json.byte(UInt8(ascii: "}"))
            }, read: { _, _ in })
    }

    public static func _write(rowsOf failed: FailedFrame?, _ prefix: TextBuffer, into csv: inout TextBuffer) {
        csv.row(prefix) {
            $0.column("node", failed?.node)
            $0.column("code", failed?.error.code)
            $0.column("message", failed?.error.message)
            $0.column("location", failed?.error.location)
        }
    }

    public func _summarize(into text: inout TextBuffer) { text.plain("\(node): \(error)".shown) }
}
