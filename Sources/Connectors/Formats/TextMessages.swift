import Pipeline

/// Reads messages that are rows of numbers, with a delimiter or blanks between the cells.
///
/// If `columns` gives the columns of x and y, every row is a point. Otherwise, the cells in all columns that `columns` does not
/// mention are the consecutive numbers of the points.
struct TextMessages: Sendable {
    private var cells: RowCells
    private let x: Int?
    private let y: Int?
    private let t: Int?
    private let p: Int?
    private let stream: Int?
    private let label: Int?
    private let timeUnit: TimeUnit

    /// Creates a reader with the format and columns of the options.
    init(_ options: DecodeOptions) {
        cells = RowCells(delimiter: options.format == .text ? nil : options.delimiterByte)
        func place(_ column: ColumnReference?) -> Int? {
            if case .number(let number) = column { number - 1 } else { nil }
        }
        x = place(options.columns.x)
        y = place(options.columns.y)
        t = place(options.columns.t)
        p = place(options.columns.p)
        stream = place(options.columns.stream)
        label = place(options.columns.label)
        timeUnit = options.tUnit ?? .s
    }

    /// Reads a message and replaces the contents of `message`. O(bytes).
    ///
    /// - Throws: A frame error, located by byte if one cell is at fault.
    mutating func read(_ bytes: UnsafeRawBufferPointer, into message: inout FieldMessage) throws(PipelineError) {
        message.begin()
        let set = try message.set(0, .points)
        message.scratch.removeAll(keepingCapacity: true)
        var start = 0
        while start < bytes.count {
            start = try cells.takeRow(of: bytes, at: start)
            try takeRow(set, &message)
        }
        if x == nil {
            guard !message.scratch.isEmpty else { throw .frame("decode.empty", "a message without numbers") }
            message.sets[set].isThere = true
            if message.isOfValues {
                message.values = message.scratch
            } else {
                try message.takeNumbers(into: PointListReference(set: set, isWorld: false), place: nil)
            }
        } else if message.sets[set].seen.count > 0 {
            message.sets[set].isThere = true
        } else {
            throw .frame("decode.empty", "a message without numbers")
        }
    }

    private func takeRow(_ set: Int, _ message: inout FieldMessage) throws(PipelineError) {
        // An empty line is not a row.
        let count = cells.filledCount
        guard count > 0 else { return }
        var point = ObjectPoint()
        for column in 0..<count {
            switch column {
            case x: point.take(try value(column), .x)
            case y: point.take(try value(column), .y)
            case t:
                if x == nil {
                    message.time = try time(column)
                } else {
                    point.take(try value(column), .t)
                }
            case p: point.take(try value(column), .p)
            case stream, label:
                // One column can be both the stream and the label.
                let text = String(decoding: cells[column], as: UTF8.self)
                if column == stream { message.stream = text }
                if column == label { message.label = text }
            default: if x == nil { message.scratch.append(try value(column)) }
            }
        }
        guard x != nil else { return }
        guard point.isWhole else {
            throw .frame("decode.count", "a row of \(count) cells has no x and y", location: "byte \(cells.place(0))")
        }
        try message.add(point, to: PointListReference(set: set, isWorld: false), cells.place(0))
    }

    private func time(_ column: Int) throws(PipelineError) -> Int64 {
        do {
            return try timeUnit.time(in: cells[column])
        } catch {
            throw .frame(
                error.code, error.message, location: "byte \(cells.place(column))", help: error.help)
        }
    }

    private func value(_ column: Int) throws(PipelineError) -> Double {
        let cell = cells[column]
        if let value = number(in: cell) { return value }
        throw .frame(
            "decode.type",
            "expected a number, found \(cell.isEmpty ? "nothing" : quote(String(decoding: cell.prefix(40), as: UTF8.self)))",
            location: "byte \(cells.place(column))")
    }
}
