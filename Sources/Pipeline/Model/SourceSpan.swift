/// A position in a text: line and column, both counted from 1. Columns are counted in Unicode scalars.
public struct SourcePosition: Hashable, Comparable, Sendable {
    /// The line, from 1.
    public var line: Int

    /// The column, from 1, in Unicode scalars.
    public var column: Int

    /// Creates a position.
    public init(line: Int, column: Int) {
        self.line = line
        self.column = column
    }

    public static func < (a: SourcePosition, b: SourcePosition) -> Bool {
        (a.line, a.column) < (b.line, b.column)
    }
}

/// A range of a file, from `start` up to but not including `end`.
public struct SourceSpan: Hashable, Sendable {
    /// The file name as given by the user; `--set` for values from the command line.
    public var file: String

    /// The position of the first character.
    public var start: SourcePosition

    /// The position after the last character.
    public var end: SourcePosition

    /// The text that stands in for the file name if the value comes from the command line.
    package static let overrides = "--set"

    /// Whether the value was given on the command line.
    package var isOverride: Bool { file == Self.overrides }

    /// Creates a span.
    public init(file: String, start: SourcePosition, end: SourcePosition) {
        self.file = file
        self.start = start
        self.end = end
    }
}
