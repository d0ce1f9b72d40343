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
            var length =
                json[at] == UInt8(ascii: "\\") ? (at + 1 < json.count && json[at + 1] == UInt8(ascii: "u") ? 6 : 2) : 1
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
}
