import PipelineTesting

/// Damages files, in the same way for the same seed.
struct Damage {
    private var random: SeededGenerator
    /// Texts that are known to cause problems for readers.
    private static let words: [[UInt8]] =
        [
            "NaN", "1e999", "-", "-0", "9223372036854775808",
            "-9223372036854775808", "9223372036854775807", "9007199254740991", "1e300", "-1e300", "1e-400", "\"", "\\",
            "\\u0000", "\\ud800", "{", "}", "[",
            "]",
            ",", ":", "\n", "\r\n", "\r", "\t", "\u{FEFF}", "null", "true", "&lt;", "&#0;", "&#xFFFFFF;",
            "<!DOCTYPE a [",
            "<!ENTITY a \"&a;&a;\">", "<![CDATA[", "]]>", "<!--", "</", "/>", "<Point ", "&a", "*a", "- ", "? ",
            "!!binary ",
            "<<: ", "|", ">", "%YAML 1.1", "---", "...", "${A:-", "${", "}", ";", ",,,,", "\"\"", "1.5.2", "∞", "é",
        ].map { Array($0.utf8) } + [[0], [0xFF], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80]]

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    /// Returns a copy with one to six damages: bytes are changed, inserted, removed or repeated, or the rest is cut off.
    mutating func damaged(_ bytes: [UInt8]) -> [UInt8] {
        var bytes = bytes
        for _ in 0..<Int.random(in: 1...6, using: &random) {
            let place = Int.random(in: 0...bytes.count, using: &random)
            let end = min(bytes.count, place + Int.random(in: 1...40, using: &random))
            switch Int.random(in: 0..<12, using: &random) {
            case 0..<3 where place < bytes.count: bytes[place] = .random(in: 0...255, using: &random)
            case 0..<7: bytes.insert(contentsOf: Self.words.randomElement(using: &random) ?? [], at: place)
            case 7..<9: bytes.removeSubrange(place..<end)
            case 9..<11:
                let part = Array(bytes[place..<end])
                for _ in 0..<Int.random(in: 1...20, using: &random) { bytes.insert(contentsOf: part, at: place) }
            default: bytes.removeSubrange(place...)
            }
        }
        return bytes
    }
}
