import Pipeline

extension TextBuffer {
    /// Writes a string in JSON quotes, with the escapes of ``escaped(_:)``.
    package mutating func quoted(_ string: String) {
        var string = string
        string.withUTF8 { utf8 in
            byte(UInt8(ascii: "\""))
            var length = utf8.count
            if length > longestString {
                length = longestString
                // Cuts before a character of several bytes, never inside it.
                while length > 0, utf8[length] & 0xC0 == 0x80 { length -= 1 }
            }
            escaped(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(utf8)[0..<length]))
            if length < utf8.count { plain("…") }
            byte(UInt8(ascii: "\""))
        }
    }

    /// Writes text as the inside of a JSON string, without the quotes.
    ///
    /// Escapes quotes, backslashes and all invisible characters (``Unicode/Scalar/isHidden``), and nothing else. The content of a
    /// string can then neither end a line, whatever a reader treats as a line end, nor move a terminal's cursor.
    ///
    /// - Parameter utf8: Valid UTF-8.
    /// - Complexity: O(*n*), where *n* is the number of bytes.
    package mutating func escaped(_ utf8: UnsafeRawBufferPointer) {
        // The longest escape has six bytes.
        append(capacity: utf8.count * 6) { start in
            var end = start
            func put(_ byte: UInt8) {
                end.pointee = byte
                end += 1
            }
            func escape(_ value: UInt32) {
                let digits: StaticString = "0123456789abcdef"
                put(UInt8(ascii: "\\"))
                put(UInt8(ascii: "u"))
                for shift: UInt32 in [12, 8, 4, 0] { put(digits.utf8Start[Int(value >> shift & 15)]) }
            }
            var at = 0
            while at < utf8.count {
                let byte = utf8[at]
                at += 1
                switch byte {
                case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                    put(UInt8(ascii: "\\"))
                    put(byte)
                case 0x0A:
                    put(UInt8(ascii: "\\"))
                    put(UInt8(ascii: "n"))
                case 0x0D:
                    put(UInt8(ascii: "\\"))
                    put(UInt8(ascii: "r"))
                case 0x09:
                    put(UInt8(ascii: "\\"))
                    put(UInt8(ascii: "t"))
                case 0..<0x20, 0x7F: escape(UInt32(byte))
                case 0xC2...0xEF:
                    // Hidden characters have two or three bytes.
                    let rest = byte < 0xE0 ? 1 : 2
                    guard at + rest <= utf8.count else {
                        put(byte)
                        continue
                    }
                    var value = UInt32(byte) & (rest == 1 ? 0x1F : 0x0F)
                    for place in at..<(at + rest) { value = value << 6 | UInt32(utf8[place] & 0x3F) }
                    if Unicode.Scalar(value)?.isHidden == true {
                        escape(value)
                    } else {
                        put(byte)
                        for place in at..<(at + rest) { put(utf8[place]) }
                    }
                    at += rest
                default: put(byte)
                }
            }
            return end - start
        }
    }

    /// Writes a CSV cell, in quotes where RFC 4180 requires them, and around text that begins or ends with a blank, because
    /// readers remove blanks around a cell without quotes. Escapes control characters and line ends, so that a row is
    /// always one line.
    package mutating func cell(_ text: String) {
        var text = text
        // Most text is plain, which one pass over its bytes shows.
        let isPlain = text.withUTF8 { utf8 in
            guard utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F && $0 != 0x22 && $0 != 0x2C }), utf8.first != 0x20,
                utf8.last != 0x20
            else { return false }
            plain(UnsafeRawBufferPointer(utf8))
            return true
        }
        guard !isPlain else { return }
        let shown = text.shown
        let utf8 = shown.utf8
        guard utf8.first == 0x20 || utf8.last == 0x20 || utf8.contains(where: { $0 == 0x22 || $0 == 0x2C }) else {
            return plain(shown)
        }
        byte(0x22)
        for unit in utf8 {
            if unit == 0x22 { byte(0x22) }
            byte(unit)
        }
        byte(0x22)
    }
}
