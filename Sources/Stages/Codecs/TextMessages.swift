import Pipeline

/// Reads messages that are rows of numbers: with a delimiter between the cells, or with blanks.
///
/// Where `columns` names x and y, every row is a point. Otherwise all cells that no column is named for are the numbers of the
/// points, in a row.
struct TextMessages: Sendable {
    /// The byte between cells; `nil` for any run of blanks.
    private let delimiter: UInt8?
    private let x: Int?
    private let y: Int?
    private let t: Int?
    private let p: Int?
    private let stream: Int?
    private let label: Int?
    private let timeUnit: Double

    /// Reads rows as the options say.
    init(_ options: DecodeOptions) {
        delimiter = options.format == .text ? nil : options.delimiterByte
        func place(_ column: ColumnReference?) -> Int? {
            if case .number(let number) = column { number - 1 } else { nil }
        }
        x = place(options.columns.x)
        y = place(options.columns.y)
        t = place(options.columns.t)
        p = place(options.columns.p)
        stream = place(options.columns.stream)
        label = place(options.columns.label)
        timeUnit = (options.tUnit ?? .s).microseconds
    }

    /// Reads a message in place of what was said before. O(bytes).
    ///
    /// - Throws: A frame error located by byte.
    func read(_ bytes: UnsafeRawBufferPointer, into message: inout FieldMessage) throws(PipelineError) {
        message.begin()
        let set = try message.set(0, .points)
        message.scratch.removeAll(keepingCapacity: true)
        var start = 0
        while start < bytes.count {
            let end = bytes[start...].firstIndex(of: 0x0A) ?? bytes.count
            try readRow(bytes, start..<end, set, &message)
            start = end + 1
        }
        if x == nil {
            guard !message.scratch.isEmpty else { throw .frame("decode.empty", "a message without numbers") }
            message.sets[set].isThere = true
            if message.isOfValues {
                message.values = message.scratch
            } else {
                try message.takeNumbers(into: set, place: nil)
            }
        } else if !message.sets[set].points.isEmpty {
            message.sets[set].isThere = true
        } else {
            throw .frame("decode.empty", "a message without numbers")
        }
    }

    private func readRow(
        _ bytes: UnsafeRawBufferPointer, _ row: Range<Int>, _ set: Int, _ message: inout FieldMessage
    ) throws(PipelineError) {
        var point = MessagePoint()
        var (hasX, hasY) = (false, false)
        var column = 0
        var at = row.lowerBound
        func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0D }
        while at < row.upperBound {
            if delimiter == nil, isBlank(bytes[at]) {
                at += 1
                continue
            }
            var end = at
            while end < row.upperBound, delimiter.map({ bytes[end] != $0 }) ?? !isBlank(bytes[end]) { end += 1 }
            var cell = bytes[at..<end]
            while let first = cell.first, isBlank(first) { cell.removeFirst() }
            while let last = cell.last, isBlank(last) { cell.removeLast() }
            let place = at
            func value() throws(PipelineError) -> Double {
                if let value = number(in: Array(cell)[...]) { return value }
                throw .frame(
                    "decode.type",
                    "expected a number, found \(cell.isEmpty ? "nothing" : quote(String(decoding: cell.prefix(40), as: UTF8.self)))",
                    location: "byte \(place)")
            }
            // An empty line is no row.
            if column == 0, cell.isEmpty, end == row.upperBound { return }
            switch column {
            case x: (point.x, hasX) = (try value(), true)
            case y: (point.y, hasY) = (try value(), true)
            case t:
                point.t = try value()
                message.sets[set].known.insert(.t)
                if x == nil { message.time = try FieldMessage.time(point.t * timeUnit, place: "byte \(place)") }
            case p:
                point.p = try value()
                message.sets[set].known.insert(.p)
            case stream: message.stream = String(decoding: cell, as: UTF8.self)
            case label: message.label = String(decoding: cell, as: UTF8.self)
            default: if x == nil { message.scratch.append(try value()) }
            }
            column += 1
            at = end + (delimiter == nil ? 0 : 1)
        }
        guard column > 0, x != nil else { return }
        guard hasX, hasY else {
            throw .frame("decode.count", "a row of \(column) cells has no x and y", location: "byte \(row.lowerBound)")
        }
        message.sets[set].points.append(point)
    }
}
