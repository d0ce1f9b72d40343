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

    /// What a row of a table holds.
    public enum Row: String, OptionChoice {
        /// One sample of a stroke.
        case sample
        /// A whole set of points: a stroke.
        case set
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
    /// The unit of a table's times; seconds in Swift where none is given. A configuration must give it.
    public var tUnit: TimeUnit?

    /// What a row of a table of strokes holds; one of landmarks always holds a whole set of them.
    public var row = Row.sample
    /// A file with the names of the classes that a table tells by number, one a line.
    public var labels: FilePath?
    /// How many sets of points without times there are a second.
    public var hz: Double?

    public init() {}

    public static var options: [Option<DecodeOptions>] {
        Option("format", \.format, "What the messages are: canonical JSON, or CSV.")
        Option(
            "missing_time", \.missingTime,
            "What a JSON message without a timestamp is: an error, or stamped on receipt (from the monotonic clock).")
        Option("columns", \.columns, "Which columns of a table hold what.", example: "{ x: 2, y: 3, t: time }")
        Option("header", \.header, "Whether the first row of a table names its columns.")
        Option("delimiter", \.delimiter, "What stands between the cells of a row: one character, or tab.")
        Option("t_unit", \.tUnit, "The unit of a table's times; needed where a column of times is.")
        Option(
            "row", \.row,
            "What a row of a table holds: one sample, or the set of all points of a stroke, as x and y in turn. A row of landmarks is always a set."
        )
        Option(
            "labels", \.labels, "A file with the names of classes, one a line, for labels that are numbers from 0.",
            example: "labels.csv")
        Option(
            "hz", \.hz, in: 0.001...1e6,
            "How many sets of points without times there are a second; without it they are a second apart.",
            example: "30")
    }

    /// The delimiter as a byte; a comma when it is none.
    var delimiterByte: UInt8 {
        if delimiter == "tab" { return 0x09 }
        return delimiter.utf8.count == 1 ? delimiter.utf8.first ?? 0x2C : 0x2C
    }

    public func check(_ node: ConfigNode, _ context: DecodingContext) {
        checkTimeUnit(node, context)
        guard delimiter != "tab", delimiter.utf8.count != 1 || ["\"", "\n", "\r"].contains(delimiter) else { return }
        context.findings.error(
            "option.delimiter", "\"\(delimiter)\" cannot stand between cells", at: (node["delimiter"] ?? node).span,
            path: context.path + ".delimiter", help: "write one ASCII character, or tab")
    }

    /// Times read in a wrong unit look right and are wrong by a factor of a thousand, so none is assumed.
    private func checkTimeUnit(_ node: ConfigNode, _ context: DecodingContext) {
        guard let column = columns.t, tUnit == nil else { return }
        let likely = column.likelyUnit.map { "add t_unit: \($0.rawValue), if the column's name says what it is" }
        context.findings.error(
            "decode.time_unit", "nothing says what unit the times of column \(column.yaml ?? "") are in",
            at: node["columns"]?["t"]?.span ?? node.span, path: context.descending("t_unit").path,
            help: likely ?? "add t_unit: s, ms, us or ns, beside columns")
    }

    /// Reports what of these options does not fit a payload.
    func check(_ kind: PayloadKind, isTable: Bool, _ node: ConfigNode, _ context: DecodingContext) {
        guard isTable else { return }
        let columnsNode = node["decode"]?["columns"]
        if kind == .landmarks || kind == .hands { return }
        if kind != .stroke && (kind != .points || row == .set) {
            context.findings.error(
                "decode.kind",
                row == .set
                    ? "a row holds a stroke or landmarks, not \(kind.rawValue)"
                    : "a table holds points, strokes or landmarks, not \(kind.rawValue)",
                at: (node["kind"] ?? node).span,
                path: context.path + ".kind")
        } else if kind == .points, columnsNode != nil, columns.t == nil {
            context.findings.error(
                "decode.time", "points need a column of times", at: columnsNode?.span,
                path: context.path + ".decode.columns", help: "add t: with the column's number or name")
        }
    }
}
