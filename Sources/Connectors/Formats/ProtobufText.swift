import Pipeline

/// Reads the text format of Protocol Buffers: named fields, in document order.
///
/// It supports the published grammar (protobuf.dev, "Text Format Language Specification") as far as a document can be parsed
/// without its message definition: nested messages in braces or angle brackets, lists in brackets, strings of one or more pieces,
/// numbers and names as written, and comments. O(bytes).
struct ProtobufText {
    /// An element of a document.
    enum Event: Equatable {
        /// The beginning of a message in the field with this name.
        case open(String)
        /// The end of a message.
        case close
        /// A field and its value: the text of a string, or any other value as written.
        case value(String, String)
    }

    /// The maximum nesting depth of messages.
    static let maxDepth = 64

    private let text: UnsafeRawBufferPointer
    private var at = 0

    /// Reads a whole document and passes its elements to `body`.
    ///
    /// - Parameter body: Receives each element. The errors that it throws are located by line.
    /// - Throws: A frame error located by `line N`.
    static func read(
        _ document: UnsafeRawBufferPointer, _ body: (Event) throws(PipelineError) -> Void
    ) throws(PipelineError) {
        var reader = ProtobufText(document)
        do {
            try reader.message(until: nil, depth: 0, body)
        } catch {
            var error = error
            error.location = "line \(reader.line)"
            throw error
        }
    }

    private init(_ text: UnsafeRawBufferPointer) {
        self.text = text
        if text.starts(with: [0xEF, 0xBB, 0xBF]) { at = 3 }
    }

    private var line: Int { 1 + text.prefix(at).count { $0 == 0x0A } }

    /// The next byte; `nil` at the end.
    private var byte: UInt8? { at < text.count ? text[at] : nil }

    /// Reads fields up to a closing bracket or the end of the document.
    private mutating func message(
        until close: UInt8?, depth: Int, _ body: (Event) throws(PipelineError) -> Void
    ) throws(PipelineError) {
        guard depth <= Self.maxDepth else {
            throw .frame("decode.depth", "messages are nested deeper than \(Self.maxDepth) levels")
        }
        while true {
            skipBlanks()
            guard let byte else {
                guard close == nil else { throw .frame("decode.truncated", "the text ends inside a message") }
                return
            }
            if byte == close {
                at += 1
                return
            }
            let name = try fieldName()
            skipBlanks()
            let hasColon = self.byte == UInt8(ascii: ":")
            if hasColon {
                at += 1
                skipBlanks()
            }
            try value(of: name, hasColon: hasColon, depth: depth, body)
            skipBlanks()
            if self.byte == UInt8(ascii: ",") || self.byte == UInt8(ascii: ";") { at += 1 }
        }
    }

    private mutating func value(
        of name: String, hasColon: Bool, depth: Int, isInList: Bool = false,
        _ body: (Event) throws(PipelineError) -> Void
    ) throws(PipelineError) {
        switch byte {
        case UInt8(ascii: "{"), UInt8(ascii: "<"):
            let close = byte == UInt8(ascii: "{") ? UInt8(ascii: "}") : UInt8(ascii: ">")
            at += 1
            try body(.open(name))
            try message(until: close, depth: depth + 1, body)
            try body(.close)
        case UInt8(ascii: "[") where hasColon && !isInList:
            at += 1
            skipBlanks()
            while byte != UInt8(ascii: "]") {
                try value(of: name, hasColon: true, depth: depth, isInList: true, body)
                skipBlanks()
                if byte == UInt8(ascii: ",") {
                    at += 1
                    skipBlanks()
                } else if byte != UInt8(ascii: "]") {
                    throw wrong("\",\" or \"]\"")
                }
            }
            at += 1
        case UInt8(ascii: "\"") where hasColon, UInt8(ascii: "'") where hasColon:
            try body(.value(name, try string()))
        default:
            guard hasColon else { throw wrong("\":\" or \"{\" after \"\(name)\"") }
            let word = word()
            guard !word.isEmpty else { throw wrong("a value") }
            try body(.value(name, word))
        }
    }

    /// Reads the name of a field. The names of extensions and of `Any` types are in brackets.
    private mutating func fieldName() throws(PipelineError) -> String {
        guard byte == UInt8(ascii: "[") else {
            let name = word()
            guard let first = name.utf8.first, Self.isLetter(first) else { throw wrong("the name of a field") }
            return name
        }
        let start = at
        while let byte, byte != UInt8(ascii: "]"), byte != 0x0A { at += 1 }
        guard byte == UInt8(ascii: "]") else { throw wrong("\"]\"") }
        at += 1
        return String(decoding: text[start..<at], as: UTF8.self)
    }

    private mutating func word() -> String {
        let start = at
        while let byte, Self.isLetter(byte) || (0x30...0x39).contains(byte) || "+-.".utf8.contains(byte) { at += 1 }
        return String(decoding: text[start..<at], as: UTF8.self)
    }

    /// Reads the pieces of a string and joins them. Escape sequences are not interpreted: the character after a backslash is taken
    /// literally. The strings that callers use contain no escape sequences.
    private mutating func string() throws(PipelineError) -> String {
        var bytes: [UInt8] = []
        while let quote = byte, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") {
            at += 1
            while let byte, byte != quote {
                guard byte != 0x0A else { throw wrong("the end of a string") }
                if byte == UInt8(ascii: "\\"), at + 1 < text.count { at += 1 }
                bytes.append(text[at])
                at += 1
            }
            guard byte != nil else { throw .frame("decode.truncated", "the text ends inside a string") }
            at += 1
            skipBlanks()
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private mutating func skipBlanks() {
        while let byte {
            if byte == UInt8(ascii: "#") {
                while at < text.count, text[at] != 0x0A { at += 1 }
            } else if byte <= 0x20 {
                at += 1
            } else {
                return
            }
        }
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte) || byte == UInt8(ascii: "_")
    }

    private func wrong(_ wanted: String) -> PipelineError {
        guard let byte else { return .frame("decode.truncated", "the text ends where \(wanted) is expected") }
        let found = byte >= 0x20 && byte < 0x7F ? "\"\(Unicode.Scalar(byte))\"" : "byte \(byte)"
        return .frame("decode.syntax", "expected \(wanted), found \(found)")
    }
}
