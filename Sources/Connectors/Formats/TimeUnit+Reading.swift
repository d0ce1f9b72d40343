import Pipeline

extension TimeUnit {
    /// Parses a time in this unit and returns it in microseconds. An ISO 8601 time counts from 1970; any other time counts from the
    /// epoch of the sender's clock.
    ///
    /// - Throws: A frame error without a location.
    func time(in text: some Collection<UInt8>) throws(PipelineError) -> Int64 {
        guard let microseconds else {
            if let time = ISOTime.microseconds(in: text) { return try FieldMessage.time(Double(time), place: nil) }
            throw .frame(
                "decode.type", "expected a time as in 2026-11-23T13:06:38.250Z, found \(Self.shown(text))")
        }
        if let value = number(in: ArraySlice(text)) { return try FieldMessage.time(value * microseconds, place: nil) }
        throw .frame(
            "decode.type", "expected a time as a number, found \(Self.shown(text))",
            help: ISOTime.microseconds(in: text) == nil ? nil : "write t_unit: iso8601")
    }

    private static func shown(_ text: some Collection<UInt8>) -> String {
        text.isEmpty ? "nothing" : quote(String(decoding: text.prefix(40), as: UTF8.self))
    }
}
