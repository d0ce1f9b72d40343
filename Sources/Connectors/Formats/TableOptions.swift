import Pipeline
import PipelineComponents

/// A column of a table: its number, from 1, or its name in the header.
public enum ColumnReference: OptionValue, Hashable {
    /// The number, from 1.
    case number(Int)

    /// The name in the header.
    case name(String)

    public static var schema: ValueSchema { .anyOf([.integer(min: 1, max: nil), .string]) }

    /// Whether the column is given by number.
    var isNumber: Bool { if case .number = self { true } else { false } }

    public var yaml: String? {
        switch self {
        case .number(let number): String(number)
        case .name(let name): name
        }
    }

    public static func decode(_ node: ConfigNode, _ context: DecodingContext) -> ColumnReference? {
        guard let scalar = node.scalar, !node.isNull else {
            context.mismatch(node, wanted: "a column's number or name")
            return nil
        }
        guard let number = scalar.integer else { return .name(scalar.text) }
        guard number >= 1 else {
            context.findings.error(
                "option.range", "\(number) is out of range", at: node.span, path: context.path,
                label: "columns are counted from 1")
            return nil
        }
        return .number(number)
    }
}

extension ColumnReference {
    /// Returns the index of a column, from 0, or −1 for none.
    ///
    /// - Parameters:
    ///   - reference: The column; `nil` for none.
    ///   - header: The names of the columns; empty if the table has no header.
    /// - Throws: A frame error for an unknown name. It lists the names in the header.
    static func place(_ reference: ColumnReference?, in header: [String]) throws(PipelineError) -> Int {
        switch reference {
        case nil: return -1
        case .number(let number): return number - 1
        case .name(let name):
            if let place = header.firstIndex(of: name) { return place }
            guard !header.isEmpty else {
                throw .frame(
                    "decode.column", "column \"\(name)\" cannot be found without a header",
                    help: "give columns by number")
            }
            guard header.contains(where: { Double($0) == nil }) else {
                throw .frame(
                    "decode.column", "column \"\(name)\" cannot be found: the first row holds numbers, not names",
                    help: "write the names above it, as in x,y,t, or give columns by number: columns: { x: 1, y: 2 }")
            }
            let names = header.map { $0.count > 40 ? $0.prefix(39) + "…" : $0 }
            throw .frame(
                "decode.column", "no column is named \"\(name)\"",
                help: "the header has: \(shortList(names))" + delimiterHint(in: header)
                    + (name == "x"
                        ? "; if each row is a hand: kind: hands, or --kind=hands; if each row is a stroke: decode: { row: set }"
                        : ""))
        }
    }

    /// Returns the end of a help: the delimiter that a header of a single cell seems to have; empty if there is none.
    static func delimiterHint(in header: [String]) -> String {
        guard header.count == 1, let delimiter = header[0].first(where: { ",;\t|".contains($0) }) else { return "" }
        return "; set decode: { delimiter: \(delimiter == "\t" ? "tab" : "\"\(delimiter)\"") }"
    }

    /// The unit that the column's name suggests, as in `t_ms` or `seconds`.
    var likelyUnit: TimeUnit? {
        guard case .name(let name) = self else { return nil }
        return TimeUnit.likely(in: name)
    }
}

/// The columns of a table by their meaning.
public struct ColumnMap: OptionGroup, Hashable {
    @Option("Horizontal position: the number of a column, from 1, or its name in the header.")
    public var x: ColumnReference? = .name("x")

    @Option("Vertical position.")
    public var y: ColumnReference? = .name("y")

    @Option("Time, in `t_unit`.", example: "t")
    public var t: ColumnReference?

    @Option("Pressure.", example: "pressure")
    public var p: ColumnReference?

    @Option("Stroke that a sample belongs to. A new value begins a new stroke.", example: "stroke")
    public var stroke: ColumnReference?

    @Option(
        "Gesture that a sample belongs to. A new value begins a new gesture. Without this column, every stroke is a gesture.",
        example: "gesture")
    public var gesture: ColumnReference?

    @Option("Stream that a sample belongs to.", example: "device")
    public var stream: ColumnReference?

    @Option("Label: the intended gesture. A new value begins a new gesture.", example: "class")
    public var label: ColumnReference?

    public init() {}

    public func check(_ node: ConfigNode, _ context: DecodingContext) {
        var names: [ColumnReference: String] = [:]
        for (name, column) in [("x", x), ("y", y), ("t", t), ("p", p)] {
            guard let column, let other = names.updateValue(name, forKey: column) else { continue }
            context.findings.error(
                "decode.column_twice", "column \(column.yaml ?? "") is both \(other) and \(name)",
                at: (node[name] ?? node).span, path: context.descending(name).path, help: "columns are counted from 1")
        }
    }

    /// The column names that the configuration requests explicitly.
    var named: [String] {
        [x == .name("x") ? nil : x, y == .name("y") ? nil : y, t, p, stroke, gesture, stream, label].compactMap {
            if case .name(let name) = $0 { name } else { nil }
        }
    }
}

/// Whether the first row of a table is a header.
public enum HeaderRow: String, OptionChoice {
    /// It is a header if a column is requested by name, or if the cell for `x` is not a number. If each row holds a whole set of
    /// points, it is a header if most of its filled cells after the first are not numbers. `nan`, `inf` and `1e400` are numbers.
    case auto
    /// It is a header.
    case yes
    /// It is not a header.
    case no
}
