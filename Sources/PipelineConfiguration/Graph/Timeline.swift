/// A sequence of frames over time, written as a line of text with one character per tick.
///
/// ```text
/// a--(bc)-d  |
/// ```
///
/// A letter or digit is a frame, `-` is a tick without a frame, and `(bc)` is a tick with several frames. `|`, which may be left
/// out, is the end of the source. Spaces are ignored, so that several lines can be aligned.
public struct Timeline: Sendable, Hashable {
    /// A frame in a timeline.
    public struct Mark: Sendable, Hashable {
        /// The letter that represents the frame.
        public let letter: Character

        /// The tick of the frame, counted from 0.
        public let tick: Int64

        /// The offset of the letter in the text, in Unicode scalars.
        let offset: Int
    }

    /// A syntax error in a timeline.
    public struct Mistake: Error, Sendable, Hashable {
        /// A description of the error.
        public let message: String

        /// The offset of the error, in Unicode scalars from the beginning of the text.
        public let offset: Int
    }

    /// All frames, in order.
    public private(set) var marks: [Mark] = []

    /// The tick of the `|`, if there is one.
    public private(set) var end: Int64?

    /// Parses a timeline. O(characters).
    public init(_ text: String) throws(Mistake) {
        var tick: Int64 = 0
        var group: (offset: Int, isEmpty: Bool)?
        for (offset, scalar) in text.unicodeScalars.enumerated() {
            func mistake(_ message: String) -> Mistake { Mistake(message: message, offset: offset) }
            if scalar.properties.isWhitespace { continue }
            guard end == nil else { throw mistake("nothing can follow the end") }
            switch scalar {
            case "-" where group == nil: tick += 1
            case "|" where group == nil: end = tick
            case "(" where group == nil: group = (offset, true)
            case ")":
                guard let open = group else { throw mistake("no \"(\" was opened") }
                guard !open.isEmpty else { throw mistake("a group needs a letter") }
                group = nil
                tick += 1
            case _ where Self.isLetter(scalar):
                marks.append(Mark(letter: Character(scalar), tick: tick, offset: offset))
                if group == nil { tick += 1 } else { group?.isEmpty = false }
            default:
                throw mistake(
                    group == nil
                        ? "a timeline is made of letters, digits, -, ( ) and |"
                        : "a group is made of letters and digits")
            }
        }
        if let group { throw Mistake(message: "the group is not closed", offset: group.offset) }
    }

    /// Returns whether a character represents a frame.
    static func isLetter(_ scalar: Unicode.Scalar) -> Bool {
        ("a"..."z").contains(scalar) || ("A"..."Z").contains(scalar) || ("0"..."9").contains(scalar)
    }

    /// Returns several timelines as text, with each tick in the same column of all timelines.
    ///
    /// - Parameters:
    ///   - lines: For each timeline, the letters by tick.
    ///   - last: The last tick to draw.
    static func drawn(_ lines: [[Int64: [Character]]], upTo last: Int64) -> [String] {
        var texts = lines.map { _ in "" }
        for tick in 0...max(0, last) {
            let cells = lines.map { line -> String in
                let letters = line[tick] ?? []
                return letters.count > 1 ? "(\(String(letters)))" : letters.first.map { String($0) } ?? "-"
            }
            let width = cells.map(\.count).max() ?? 1
            for index in texts.indices {
                texts[index] += cells[index] + String(repeating: " ", count: width - cells[index].count)
            }
        }
        return texts.map { $0 + "|" }
    }
}
