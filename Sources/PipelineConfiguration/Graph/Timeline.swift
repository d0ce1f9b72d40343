/// Frames over time, drawn as a line of characters: one for every tick.
///
/// ```text
/// a--(bc)-d  |
/// ```
///
/// A letter or digit is a frame, `-` a tick without one, `(bc)` several frames in one tick, and `|`, which may stand at
/// the end, the end of the source. Blanks mean nothing: they are there to bring lines under one another.
public struct Timeline: Sendable, Hashable {
    /// One frame.
    public struct Mark: Sendable, Hashable {
        /// What stands for it.
        public let letter: Character

        /// The tick at which it is, from 0.
        public let tick: Int64

        /// The place of the letter in the text, in Unicode scalars.
        let offset: Int
    }

    /// What is wrong with a text.
    public struct Mistake: Error, Sendable, Hashable {
        /// In words.
        public let message: String

        /// Where, in Unicode scalars from the beginning of the text.
        public let offset: Int
    }

    /// All frames, in order.
    public private(set) var marks: [Mark] = []

    /// The tick of the `|`, if there is one.
    public private(set) var end: Int64?

    /// Reads a timeline. O(characters).
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

    /// Whether a character stands for a frame.
    static func isLetter(_ scalar: Unicode.Scalar) -> Bool {
        ("a"..."z").contains(scalar) || ("A"..."Z").contains(scalar) || ("0"..."9").contains(scalar)
    }

    /// Two timelines drawn so that the same tick stands in the same column in both.
    ///
    /// - Parameters:
    ///   - lines: For each timeline the letters at every tick that has some.
    ///   - last: The last tick that is drawn.
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
