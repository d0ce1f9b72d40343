import Connectors
import Pipeline

/// Cuts the strings in a JSON text that are longer than anybody reads.
enum StringCutter {
    /// A string keeps so many bytes, about.
    static var mostBytes: Int { 200 }

    /// The text with its strings cut. O(bytes).
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

    /// Copies a string from behind its first quote to behind its last.
    private static func copyString(_ json: [UInt8], _ at: inout Int, _ output: inout [UInt8]) {
        let begin = at
        var isCut = false
        while at < json.count, json[at] != UInt8(ascii: "\"") {
            // An escape stays whole: \" or \u0041. So does a character of several bytes.
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
