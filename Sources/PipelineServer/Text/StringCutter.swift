import Connectors
import Pipeline

/// Truncates long strings in a JSON text.
enum StringCutter {
    /// The approximate maximum number of bytes in a string.
    static var mostBytes: Int { 200 }

    /// Returns the text with its strings truncated. O(bytes).
    ///
    /// - Parameter json: A valid JSON text in UTF-8.
    static func cut(_ json: [UInt8]) -> [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity(min(json.count, 1 << 16))
        var at = 0
        while at < json.count {
            let byte = json[at]
            output.append(byte)
            at += 1
            if byte == UInt8(ascii: "\"") { copyString(json, &at, &output) }
        }
        return output
    }

    /// Copies a string, starting after its opening quote and ending after its closing quote.
    private static func copyString(_ json: [UInt8], _ at: inout Int, _ output: inout [UInt8]) {
        let begin = at
        var isCut = false
        while at < json.count, json[at] != UInt8(ascii: "\"") {
            // Advance by whole escapes, such as \" or \u0041, and by whole characters, so that none of them is split.
            var length = lengthOfEscape(json[at...]) ?? 1
            while at + length < json.count, json[at + length] & 0xC0 == 0x80 { length += 1 }
            length = min(length, json.count - at)
            if at - begin + length > mostBytes { isCut = true }
            if !isCut { output += json[at..<(at + length)] }
            at += length
        }
        if isCut { output += Array("…".utf8) }
        if at < json.count { output.append(json[at]) }
        at += 1
    }

    /// Returns the length of the escape at the start of a text; `nil` if there is none. The two escapes of a surrogate pair, such
    /// as \ud83d\ude00, count as one.
    private static func lengthOfEscape(_ json: ArraySlice<UInt8>) -> Int? {
        guard json.first == UInt8(ascii: "\\") else { return nil }
        guard let first = codeUnit(json) else { return 2 }
        guard UTF16.isLeadSurrogate(first), let second = codeUnit(json.dropFirst(6)), UTF16.isTrailSurrogate(second)
        else { return 6 }
        return 12
    }

    /// Returns the value of the \u escape at the start of a text; `nil` if there is none.
    private static func codeUnit(_ json: ArraySlice<UInt8>) -> UInt16? {
        guard json.starts(with: #"\u"#.utf8) else { return nil }
        return UInt16(String(decoding: json.dropFirst(2).prefix(4), as: UTF8.self), radix: 16)
    }
}
