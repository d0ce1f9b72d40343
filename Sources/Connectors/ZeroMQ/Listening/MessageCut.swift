import Pipeline

/// The messages of one sender, split into topics and payloads. The payloads are documents, represented as trees, or rows of text,
/// represented as cells.
struct MessageCut {
    let messages: [ReceivedMessage]
    /// Whether the messages have topics, either in frames of their own or in front of the payload in the same frame.
    private(set) var hasTopics = false
    /// The delimiter between topic and payload in one frame.
    private(set) var topicDelimiter: String?
    /// The format of the payloads, if they are documents.
    private(set) var syntax: DocumentSyntax?
    /// The payloads as trees.
    private(set) var documents: [DocumentValue] = []
    /// The payloads as cells, if they are rows of text.
    private(set) var cells: [[String]] = []
    /// The format and the delimiter of the rows of text.
    private(set) var textFormat: (format: DecodeOptions.Format, delimiter: String)?

    /// Splits messages. Returns `nil` when the payloads are neither documents nor text.
    init?(_ messages: [ReceivedMessage]) {
        guard let last = messages.last, (1...2).contains(last.parts.count) else { return nil }
        self.messages = messages.filter { $0.parts.count == last.parts.count }
        hasTopics = last.parts.count == 2
        for syntax in [DocumentSyntax.json, .messagePack] {
            let documents = self.messages.compactMap { try? DocumentValue($0.parts[$0.parts.count - 1], syntax) }
            if documents.count == self.messages.count {
                self.syntax = syntax
                self.documents = documents
                return
            }
        }
        if last.parts.count == 1, let delimiter = Self.delimiter(in: last.parts[0]) {
            let documents = self.messages.compactMap { message in
                Self.delimiterEnd(in: message.parts[0]).flatMap {
                    try? DocumentValue(Array(message.parts[0][$0...]), .json)
                }
            }
            if documents.count == self.messages.count {
                (syntax, topicDelimiter, hasTopics, self.documents) = (.json, delimiter, true, documents)
                return
            }
        }
        guard takeText() else { return nil }
    }

    /// Returns the delimiter between a topic and a document after it in the same frame. The document begins at the first brace or
    /// bracket.
    private static func delimiter(in bytes: [UInt8]) -> String? {
        guard let end = delimiterEnd(in: bytes) else { return nil }
        let between = bytes[..<end].reversed().prefix { !isWord($0) }.reversed()
        return between.isEmpty ? nil : String(decoding: between, as: UTF8.self)
    }

    private static func delimiterEnd(in bytes: [UInt8]) -> Int? {
        guard let place = bytes.prefix(256).firstIndex(where: { $0 == UInt8(ascii: "{") || $0 == UInt8(ascii: "[") }),
            place > 0, bytes[..<place].contains(where: isWord), !isWord(bytes[place - 1])
        else { return nil }
        return place
    }

    private static func isWord(_ byte: UInt8) -> Bool {
        byte >= 0x80 || Character(Unicode.Scalar(byte)).isLetter || Character(Unicode.Scalar(byte)).isNumber
            || byte == UInt8(ascii: "/") || byte == UInt8(ascii: "_")
    }

    private mutating func takeText() -> Bool {
        let texts = messages.compactMap { String(validating: $0.parts[$0.parts.count - 1], as: UTF8.self) }
        guard texts.count == messages.count, let last = texts.last, last.contains(where: \.isNumber) else {
            return false
        }
        let delimiter = ([",", ";", "\t"] as [Character]).first { last.contains($0) }
        cells = texts.map { Self.cells(of: $0, delimiter: delimiter?.asciiValue) }
        textFormat = delimiter.map { (.csv, $0 == "\t" ? "tab" : String($0)) } ?? (.text, ",")
        return cells.allSatisfy { $0.count == cells[0].count }
    }

    /// Returns the cells of the first row of a text, or an empty array when the text is invalid.
    private static func cells(of text: String, delimiter: UInt8?) -> [String] {
        var row = RowCells(delimiter: delimiter)
        var text = text
        let isRead = text.withUTF8 { (try? row.takeRow(of: UnsafeRawBufferPointer($0), at: 0)) != nil }
        return isRead ? (0..<row.filledCount).map { String(decoding: row[$0], as: UTF8.self) } : []
    }

    // MARK: - The meaning of values

    /// The last message that may contain points, and the candidates for them. Prefers messages with a list of points to messages
    /// with a single point, and ignores messages without candidates, such as those with empty lists.
    var fullest: (document: DocumentValue, candidates: [PointCandidate])? {
        var point: (DocumentValue, [PointCandidate])?
        for document in documents.reversed() {
            let candidates = PointCandidate.all(in: document)
            if candidates.contains(where: { !$0.isPoint }) { return (document, candidates) }
            if point == nil, !candidates.isEmpty { point = (document, candidates) }
        }
        return point
    }

    /// Returns the values at the top level of a document, with the fields of nested objects in place of the objects themselves.
    static func scalars(of document: DocumentValue) -> [(path: String, name: String, value: DocumentValue)] {
        guard case .object(let fields) = document else { return [] }
        return fields.flatMap { field -> [(String, String, DocumentValue)] in
            guard let path = FieldPath.text(to: field.key, below: "$") else { return [] }
            guard case .object(let inner) = field.value else { return [(path, field.key.lowercased(), field.value)] }
            return inner.compactMap { inner in
                FieldPath.text(to: inner.key, below: path).map { ($0, inner.key.lowercased(), inner.value) }
            }
        }
    }

    /// Returns whether a key, in lower case, is a typical name of a sequence number.
    static func isNumber(_ name: String) -> Bool {
        [
            "seq", "sequence", "frame", "frame_id", "frameid", "frame_number", "frame_no", "n", "index", "counter",
            "count",
        ]
        .contains(name)
    }

    /// Returns the numbers at a path, one for each message that has a number there.
    func numbers(at path: FieldPath) -> [Double] {
        documents.compactMap { $0[path]?.number }
    }

    /// Returns whether the lists or columns of a candidate have different lengths, and most of them not the length of a standard
    /// topology. Empty ones do not count.
    func varies(_ candidate: PointCandidate) -> Bool {
        guard let path = try? FieldPath(candidate.path) else { return false }
        let lengths = documents.map { document -> Int in
            if case .array(let list) = document[path] { return list.count }
            return document[path]?.columnLength ?? 0
        }
        .filter { $0 > 0 }
        return Set(lengths).count > 1 && 2 * lengths.count { candidate.isUsual($0) } <= lengths.count
    }

    /// Returns the numbers in a column, one for each message that has a number there.
    func values(column: Int) -> [Double] { cells.compactMap { column < $0.count ? Double($0[column]) : nil } }

    /// Returns whether the numbers in a column increase from message to message.
    func grows(column: Int) -> Bool {
        let values = values(column: column)
        return values.count == cells.count && values.count > 1 && zip(values, values.dropFirst()).allSatisfy { $0 < $1 }
    }

    /// Returns the unit of times. The name of the times determines it, or else their magnitude as times since 1970, or else the
    /// rate at which they increase between arrivals. Without these, the unit is a guess: the one in which the steps between the
    /// times are usual.
    func unit(named name: String, _ times: [Double]) -> (unit: TimeUnit, isGuess: Bool) {
        if let unit = TimeUnit.likely(in: name), name.count > 1 { return (unit, false) }
        switch abs(times.last ?? 0) {
        case 1e17...: return (.ns, false)
        case 1e14...: return (.us, false)
        case 1e11...: return (.ms, false)
        case 1e9...: return (.s, false)
        default: break
        }
        if let first = times.first, let last = times.last, times.count == messages.count, last > first,
            let begin = messages.first?.arrival, let end = messages.last?.arrival, end > begin
        {
            let perSecond = (last - first) / (Double(end - begin) / 1e9)
            switch perSecond {
            case ..<30: return (.s, false)
            case ..<30_000: return (.ms, false)
            case ..<30_000_000: return (.us, false)
            default: return (.ns, false)
            }
        }
        return (Self.usualUnit(times) ?? (times.contains { $0 != $0.rounded() } ? .s : .ms), true)
    }

    /// Returns the unit in which the median of the steps between times is that of 5 to 250 messages per second, if there is one.
    private static func usualUnit(_ times: [Double]) -> TimeUnit? {
        let steps = zip(times, times.dropFirst()).map { $1 - $0 }.filter { $0 > 0 }.sorted()
        guard !steps.isEmpty else { return nil }
        let median = steps[steps.count / 2]
        return [TimeUnit.s, .ms, .us, .ns].first { unit in
            (4_000...200_000).contains(median * (unit.microseconds ?? 0))
        }
    }
}
