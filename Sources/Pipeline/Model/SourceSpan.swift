/// A place in a text: line and column, both from 1, columns counted in Unicode scalars.
public struct SourcePosition: Hashable, Comparable, Sendable {
    /// The line, from 1.
    public var line: Int

    /// The column, from 1, in Unicode scalars.
    public var column: Int

    /// Names a place.
    public init(line: Int, column: Int) {
        self.line = line
        self.column = column
    }

    public static func < (a: SourcePosition, b: SourcePosition) -> Bool {
        (a.line, a.column) < (b.line, b.column)
    }
}

/// A stretch of a file, from `start` up to but not including `end`.
public struct SourceSpan: Hashable, Sendable {
    /// The file as the user named it; `--set` for values given on the command line.
    public var file: String

    /// The first place.
    public var start: SourcePosition

    /// The place behind the last.
    public var end: SourcePosition

    /// What stands for the file of a value that was given on the command line.
    package static let settings = "--set"

    /// Whether it was given on the command line.
    package var isSetting: Bool { file == Self.settings }

    /// Names a stretch.
    public init(file: String, start: SourcePosition, end: SourcePosition) {
        self.file = file
        self.start = start
        self.end = end
    }
}
