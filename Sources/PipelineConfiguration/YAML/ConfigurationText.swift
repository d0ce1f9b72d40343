import Pipeline
import PipelineComponents

/// Decodes the bytes of a configuration as UTF-8.
enum ConfigurationText {
    /// Checks the size and the encoding, and reports the first error. O(n).
    ///
    /// - Returns: `string` is the text without a byte order mark, or `nil` if there is an error. `text` is the same text, split
    ///   into lines for findings. It is empty if the configuration is too large.
    static func decode(
        _ bytes: [UInt8], file: String, limits: YAMLLimits, findings: Findings
    ) -> (string: String?, text: SourceText) {
        guard bytes.count <= limits.bytes else {
            findings.error(
                "yaml.too_large", "the configuration is larger than \(limits.bytes) bytes",
                at: SourceSpan(file: file, start: .init(line: 1, column: 1), end: .init(line: 1, column: 1)),
                help: "is this the configuration, or the data that it reads?")
            return (nil, SourceText(file: file, text: ""))
        }
        let hasMark = bytes.starts(with: [0xEF, 0xBB, 0xBF])
        let content = bytes[(hasMark ? 3 : 0)...]
        let string = String(decoding: content, as: UTF8.self)
        let text = SourceText(file: file, text: string)
        if let (offset, byte) = firstInvalid(content) {
            let isUTF16 = bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF])
            findings.error(
                "yaml.encoding", "byte 0x\(hexadecimal(byte, digits: 2)) is not valid UTF-8 here",
                at: text.span(from: offset, to: offset + 1),
                help: isUTF16 ? "the file looks like UTF-16; save it as UTF-8" : "save the file as UTF-8")
            return (nil, text)
        }
        if let offset = text.scalars.firstIndex(where: { !isAllowed($0) }) {
            let scalar = text.scalars[offset]
            let code = hexadecimal(scalar.value, digits: 4)
            findings.error(
                "yaml.encoding",
                lineBreaks.contains(scalar)
                    ? "the line break U+\(code) is not allowed in a configuration"
                    : "the control character U+\(code) is not allowed in YAML",
                at: text.span(from: offset, to: offset + 1),
                help: "remove it, or write it as \\u\(code) in double quotes")
            return (nil, text)
        }
        return (string, text)
    }

    /// Returns the first byte that is not valid UTF-8, and the number of scalars before it; `nil` if all are valid.
    private static func firstInvalid(_ bytes: ArraySlice<UInt8>) -> (offset: Int, byte: UInt8)? {
        var iterator = bytes.makeIterator()
        var decoder = Unicode.UTF8.ForwardParser()
        var scalars = 0
        var index = bytes.startIndex
        while true {
            switch decoder.parseScalar(from: &iterator) {
            case .valid(let encoded):
                scalars += 1
                index += encoded.count
            case .emptyInput: return nil
            case .error: return (scalars, bytes[index])
            }
        }
    }

    /// NEL, LS and PS. libyaml takes them for line breaks as in YAML 1.1, but they are none in YAML 1.2.
    private static let lineBreaks: [Unicode.Scalar] = ["\u{85}", "\u{2028}", "\u{2029}"]

    // libyaml accepts YAML's printable characters, except the byte order mark.
    private static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x2028, 0x2029: false
        case 0x09, 0x0A, 0x0D, 0x20...0x7E, 0xA0...0xD7FF, 0x10000...0x10FFFF: true
        case 0xE000...0xFFFD: scalar.value != 0xFEFF
        default: false
        }
    }

    private static func hexadecimal(_ value: some BinaryInteger, digits: Int) -> String {
        let text = String(value, radix: 16, uppercase: true)
        return String(repeating: "0", count: max(0, digits - text.count)) + text
    }
}
