import Pipeline

/// Rewrites a JSON value (RFC 8259) as normalized text, without building a tree.
///
/// The on-demand parser does not validate a value that it skips. An unknown value that is kept for the output is therefore
/// validated and rewritten here. The output is always one JSON value on one line that every output format can express.
///
/// - White space between values is removed. Strings use the escapes of ``TextBuffer/escaped(_:)``.
/// - Half of a surrogate pair, which is not a character, becomes U+FFFD.
/// - A number beyond the range of a double, such as `1e999`, becomes null. Other numbers keep their digits.
struct JSONRewriter {
    /// The reason why a text is not a valid JSON value.
    struct Failure {
        /// The position of the error, in bytes from the beginning of the text.
        let offset: Int

        /// Whether the error is that the value is nested too deep.
        let isDepth: Bool
    }

    private enum Wrong: Error { case malformed, tooDeep }

    private let text: UnsafeRawBufferPointer
    private var at = 0

    /// Appends the normalized form of the JSON value in `text` to `output`. O(bytes); never recurses.
    ///
    /// - Parameters:
    ///   - text: Valid UTF-8.
    ///   - maxDepth: The greatest allowed nesting depth.
    ///   - output: The buffer to append to.
    /// - Returns: The first error, or `nil` if the text is exactly one JSON value.
    static func rewrite(
        _ text: UnsafeRawBufferPointer, maxDepth: Int, into output: inout TextBuffer
    ) -> Failure? {
        var rewriter = JSONRewriter(text: text)
        do {
            try rewriter.value(maxDepth: maxDepth, into: &output)
            rewriter.skipSpace()
            return rewriter.at == text.count ? nil : Failure(offset: rewriter.at, isDepth: false)
        } catch .tooDeep {
            return Failure(offset: rewriter.at, isDepth: true)
        } catch {
            return Failure(offset: rewriter.at, isDepth: false)
        }
    }

    private init(text: UnsafeRawBufferPointer) { self.text = text }

    /// The current byte, or 0 after the end. No JSON text contains a byte of 0.
    private var byte: UInt8 { at < text.count ? text[at] : 0 }

    private mutating func skipSpace() {
        while byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D { at += 1 }
    }

    /// Writes a value with all values inside it. The open brackets are on an explicit stack, because the nesting must not use up
    /// the call stack.
    private mutating func value(maxDepth: Int, into output: inout TextBuffer) throws(Wrong) {
        var open: [UInt8] = []
        scan: while true {
            skipSpace()
            switch byte {
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                guard open.count < maxDepth else { throw .tooDeep }
                let closing: UInt8 = byte == UInt8(ascii: "{") ? UInt8(ascii: "}") : UInt8(ascii: "]")
                output.byte(byte)
                at += 1
                skipSpace()
                if byte == closing {
                    output.byte(closing)
                    at += 1
                } else {
                    open.append(closing)
                    if closing == UInt8(ascii: "}") { try key(into: &output) }
                    continue scan
                }
            case UInt8(ascii: "\""): try string(into: &output)
            case UInt8(ascii: "t"): try word("true", into: &output)
            case UInt8(ascii: "f"): try word("false", into: &output)
            case UInt8(ascii: "n"): try word("null", into: &output)
            default: try number(into: &output)
            }
            // The value is complete. Close the brackets that end after it.
            while let closing = open.last {
                skipSpace()
                if byte == UInt8(ascii: ",") {
                    output.byte(byte)
                    at += 1
                    if closing == UInt8(ascii: "}") { try key(into: &output) }
                    continue scan
                }
                guard byte == closing else { throw .malformed }
                output.byte(closing)
                at += 1
                open.removeLast()
            }
            return
        }
    }

    private mutating func key(into output: inout TextBuffer) throws(Wrong) {
        skipSpace()
        try string(into: &output)
        skipSpace()
        guard byte == UInt8(ascii: ":") else { throw .malformed }
        output.byte(byte)
        at += 1
    }

    private mutating func string(into output: inout TextBuffer) throws(Wrong) {
        guard byte == UInt8(ascii: "\"") else { throw .malformed }
        output.byte(byte)
        at += 1
        while at < text.count {
            let begin = at
            while at < text.count, text[at] >= 0x20, text[at] != UInt8(ascii: "\""), text[at] != UInt8(ascii: "\\") {
                at += 1
            }
            output.escaped(UnsafeRawBufferPointer(rebasing: text[begin..<at]))
            switch byte {
            case UInt8(ascii: "\""):
                output.byte(byte)
                at += 1
                return
            case UInt8(ascii: "\\"):
                at += 1
                let scalar = try escape()
                String(scalar).withContiguousBytes { output.escaped($0) }
            default: throw .malformed
            }
        }
        throw .malformed
    }

    /// Returns the character that an escape sequence stands for. The backslash has already been read.
    private mutating func escape() throws(Wrong) -> Unicode.Scalar {
        let letter = byte
        guard letter != UInt8(ascii: "u") else {
            at += 1
            return try hexadecimal()
        }
        let meanings: StaticString = "\"\"\\\\//b\u{8}f\u{C}n\nr\rt\t"
        for place in stride(from: 0, to: meanings.utf8CodeUnitCount, by: 2)
        where meanings.utf8Start[place] == letter {
            at += 1
            return Unicode.Scalar(meanings.utf8Start[place + 1])
        }
        throw .malformed
    }

    /// Returns the character of a `\u` escape, or of two that form a surrogate pair. Half of a pair gives U+FFFD.
    private mutating func hexadecimal() throws(Wrong) -> Unicode.Scalar {
        let first = try unit()
        if let scalar = Unicode.Scalar(first) { return scalar }
        guard first < 0xDC00, byte == UInt8(ascii: "\\"), at + 1 < text.count, text[at + 1] == UInt8(ascii: "u") else {
            return "\u{FFFD}"
        }
        let behindFirst = at
        at += 2
        let second = try unit()
        guard (0xDC00..<0xE000).contains(second) else {
            // The second escape is not the other half of the pair. It is read again as a character of its own.
            at = behindFirst
            return "\u{FFFD}"
        }
        return Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00)) ?? "\u{FFFD}"
    }

    private mutating func unit() throws(Wrong) -> UInt32 {
        var value: UInt32 = 0
        for _ in 0..<4 {
            let digit = byte
            switch digit {
            case 0x30...0x39: value = value << 4 | UInt32(digit - 0x30)
            case 0x41...0x46, 0x61...0x66: value = value << 4 | UInt32(digit & 0x0F) + 9
            default: throw .malformed
            }
            at += 1
        }
        return value
    }

    private mutating func word(_ word: StaticString, into output: inout TextBuffer) throws(Wrong) {
        for i in 0..<word.utf8CodeUnitCount {
            guard byte == word.utf8Start[i] else { throw .malformed }
            at += 1
        }
        output.literal(word)
    }

    private mutating func number(into output: inout TextBuffer) throws(Wrong) {
        let begin = at
        if byte == UInt8(ascii: "-") { at += 1 }
        if byte == UInt8(ascii: "0") { at += 1 } else { try digits() }
        if byte == UInt8(ascii: ".") {
            at += 1
            try digits()
        }
        if byte == UInt8(ascii: "e") || byte == UInt8(ascii: "E") {
            at += 1
            if byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-") { at += 1 }
            try digits()
        }
        let digits = UnsafeRawBufferPointer(rebasing: text[begin..<at])
        // The largest double has 309 digits.
        let isPlain = digits.count < 300 && !digits.contains { $0 | 0x20 == UInt8(ascii: "e") }
        guard isPlain || Double(String(decoding: digits, as: UTF8.self))?.isFinite == true else {
            return output.literal("null")
        }
        output.plain(digits)
    }

    private mutating func digits() throws(Wrong) {
        guard isDigit(byte) else { throw .malformed }
        while isDigit(byte) { at += 1 }
    }

    private func isDigit(_ byte: UInt8) -> Bool { byte >= 0x30 && byte <= 0x39 }
}

extension String {
    fileprivate func withContiguousBytes<R>(_ body: (UnsafeRawBufferPointer) -> R) -> R {
        var text = self
        return text.withUTF8 { body(UnsafeRawBufferPointer($0)) }
    }
}
