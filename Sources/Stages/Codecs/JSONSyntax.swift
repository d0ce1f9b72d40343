/// Checks that a text is one JSON value (RFC 8259), without building anything.
///
/// The on-demand parser skips what nobody reads without looking into it. A value that is kept to be written again must
/// be looked into, or what we write would not be JSON.
enum JSONSyntax {
    /// Where a text stops being JSON.
    struct Failure {
        /// In bytes from its beginning.
        let offset: Int

        /// Whether the only thing wrong is that it is nested too deep.
        let isDepth: Bool
    }

    /// The first thing wrong with `text`; `nil` when it is one JSON value and nothing else. O(bytes); never recurses.
    static func firstError(in text: UnsafeRawBufferPointer, maxDepth: Int) -> Failure? {
        var scanner = Scanner(text: text)
        do {
            try scanner.value(maxDepth: maxDepth)
            scanner.skipSpace()
            return scanner.at == text.count ? nil : Failure(offset: scanner.at, isDepth: false)
        } catch .tooDeep {
            return Failure(offset: scanner.at, isDepth: true)
        } catch {
            return Failure(offset: scanner.at, isDepth: false)
        }
    }

    private enum Wrong: Error { case malformed, tooDeep }

    private struct Scanner {
        let text: UnsafeRawBufferPointer
        var at = 0

        /// The current byte; 0, which is nowhere allowed, behind the end.
        var byte: UInt8 { at < text.count ? text[at] : 0 }

        mutating func skipSpace() {
            while [0x20, 0x09, 0x0A, 0x0D].contains(byte) { at += 1 }
        }

        /// Scans a value with all that is in it, keeping the open brackets on a stack of its own.
        mutating func value(maxDepth: Int) throws(Wrong) {
            var open: [UInt8] = []
            scan: while true {
                skipSpace()
                switch byte {
                case UInt8(ascii: "{"), UInt8(ascii: "["):
                    guard open.count < maxDepth else { throw .tooDeep }
                    let closing: UInt8 = byte == UInt8(ascii: "{") ? UInt8(ascii: "}") : UInt8(ascii: "]")
                    at += 1
                    skipSpace()
                    if byte == closing {
                        at += 1
                    } else {
                        open.append(closing)
                        if closing == UInt8(ascii: "}") { try key() }
                        continue scan
                    }
                case UInt8(ascii: "\""): try string()
                case UInt8(ascii: "t"): try word("true")
                case UInt8(ascii: "f"): try word("false")
                case UInt8(ascii: "n"): try word("null")
                default: try number()
                }
                // A value is complete: close what closes behind it.
                while let closing = open.last {
                    skipSpace()
                    if byte == UInt8(ascii: ",") {
                        at += 1
                        if closing == UInt8(ascii: "}") { try key() }
                        continue scan
                    }
                    guard byte == closing else { throw .malformed }
                    at += 1
                    open.removeLast()
                }
                return
            }
        }

        mutating func key() throws(Wrong) {
            skipSpace()
            try string()
            skipSpace()
            guard byte == UInt8(ascii: ":") else { throw .malformed }
            at += 1
        }

        mutating func string() throws(Wrong) {
            guard byte == UInt8(ascii: "\"") else { throw .malformed }
            at += 1
            while at < text.count {
                switch text[at] {
                case UInt8(ascii: "\""):
                    at += 1
                    return
                case UInt8(ascii: "\\"):
                    at += 1
                    if byte == UInt8(ascii: "u") {
                        for _ in 0..<4 {
                            at += 1
                            guard isHexadecimal(byte) else { throw .malformed }
                        }
                    } else if !"\"\\/bfnrt".utf8.contains(byte) {
                        throw .malformed
                    }
                    at += 1
                case 0..<0x20: throw .malformed
                default: at += 1
                }
            }
            throw .malformed
        }

        mutating func word(_ word: StaticString) throws(Wrong) {
            for i in 0..<word.utf8CodeUnitCount {
                guard byte == word.utf8Start[i] else { throw .malformed }
                at += 1
            }
        }

        mutating func number() throws(Wrong) {
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
        }

        mutating func digits() throws(Wrong) {
            guard isDigit(byte) else { throw .malformed }
            while isDigit(byte) { at += 1 }
        }

        private func isDigit(_ byte: UInt8) -> Bool { byte >= 0x30 && byte <= 0x39 }

        private func isHexadecimal(_ byte: UInt8) -> Bool {
            isDigit(byte) || (byte | 0x20 >= UInt8(ascii: "a") && byte | 0x20 <= UInt8(ascii: "f"))
        }
    }
}
