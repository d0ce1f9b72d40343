import Pipeline

/// How a source reads what it receives.
public struct DecodeOptions: OptionGroup {
    /// What the messages are.
    public enum Format: String, OptionChoice {
        /// Canonical JSON, one object a message.
        case json
        /// Comma-separated values, one sample a row.
        case csv
    }

    /// What a message without a timestamp is.
    public enum MissingTime: String, OptionChoice {
        /// An error.
        case error
        /// Stamped with the time of its receipt, and marked so.
        case receipt
    }

    /// What the messages are.
    public var format = Format.json
    /// What a message without a timestamp is.
    public var missingTime = MissingTime.error
    /// Which columns of a table hold what.
    public var columns = ColumnMap()
    /// Whether the first row of a table names its columns.
    public var header = HeaderRow.auto
    /// What stands between the cells of a row.
    public var delimiter = ","
    /// The unit of a table's times.
    public var tUnit = TimeUnit.s

    public init() {}

    public static var options: [Option<DecodeOptions>] {
        Option("format", \.format, "What the messages are: canonical JSON, or CSV with one sample a row.")
        Option(
            "missing_time", \.missingTime,
            "What a JSON message without a timestamp is: an error, or stamped on receipt (from the monotonic clock).")
        Option("columns", \.columns, "Which columns of a table hold what.", example: "{ x: 2, y: 3, t: time }")
        Option("header", \.header, "Whether the first row of a table names its columns.")
        Option("delimiter", \.delimiter, "What stands between the cells of a row: one character, or tab.")
        Option("t_unit", \.tUnit, "The unit of a table's times.")
    }

    /// The delimiter as a byte; a comma when it is none.
    var delimiterByte: UInt8 {
        if delimiter == "tab" { return 0x09 }
        return delimiter.utf8.count == 1 ? delimiter.utf8.first ?? 0x2C : 0x2C
    }

    public func check(_ node: ConfigNode, _ context: DecodingContext) {
        guard delimiter != "tab", delimiter.utf8.count != 1 || ["\"", "\n", "\r"].contains(delimiter) else { return }
        context.findings.error(
            "option.delimiter", "\"\(delimiter)\" cannot stand between cells", at: (node["delimiter"] ?? node).span,
            path: context.path + ".delimiter", help: "write one ASCII character, or tab")
    }

    /// Reports what of these options does not fit a payload.
    func check(_ kind: PayloadKind, isTable: Bool, _ node: ConfigNode, _ context: DecodingContext) {
        guard isTable else { return }
        let columnsNode = node["decode"]?["columns"]
        if kind != .points && kind != .stroke {
            context.findings.error(
                "decode.kind", "a table holds points or strokes, not \(kind.rawValue)", at: (node["kind"] ?? node).span,
                path: context.path + ".kind")
        } else if kind == .points, columnsNode != nil, columns.t == nil {
            context.findings.error(
                "decode.time", "points need a column of times", at: columnsNode?.span,
                path: context.path + ".decode.columns", help: "add t: with the column's number or name")
        }
    }
}
