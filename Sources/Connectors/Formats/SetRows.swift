import Pipeline
import PipelineComponents
import Stages

/// One row of a table that contains a whole set of points: landmarks or a stroke.
struct PointRow {
    /// The points, in order.
    var points: [Landmarks.Point] = []
    /// Whether the points have a z coordinate.
    var hasDepth = false
    /// The label of the points.
    var label: String?
    /// The handedness; `nil` if there is no column for it.
    var handedness: String?
    /// The time in the row. If the table has no column of times, the time follows from the order of the rows.
    var time = Timestamp.zero
}

/// Reads the rows of a table with a whole set of points in each row: landmarks, or strokes if configured.
// Belongs to one source, which calls it from one thread at a time.
final class SetRows<P: WirePayload>: RowParser<P>, @unchecked Sendable {
    private let options: DecodeOptions
    private let topology: Topology?
    private let table: TableSettings
    private let make: (PointRow) -> P
    private let labels: [String]
    private var layout: SetLayout?
    private var row = PointRow()
    private var counters = StreamCounters()

    /// Creates a parser of sets.
    ///
    /// - Parameters:
    ///   - table: The settings of the table.
    ///   - topology: The points of a row. `nil` for any number of points.
    ///   - make: Creates the payload of a row.
    /// - Throws: An environment error if the file of labels cannot be read.
    init(_ table: TableSettings, topology: Topology?, _ make: @escaping (PointRow) -> P) throws {
        (self.table, options, self.topology, self.make) = (table, table.decode, topology, make)
        labels = try options.labels.map { try Self.names(in: $0.path) } ?? []
    }

    /// Returns the lines of a file of class names, in order.
    private static func names(in path: String) throws -> [String] {
        var bytes = try WholeFile.read(path, limit: 1 << 20)[...]
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { bytes = bytes.dropFirst(3) }
        return String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline).map(String.init)
    }

    override func take(_ rows: TableRows, into frames: inout [Frame<P>]) throws(PipelineError) {
        guard let layout else {
            do throws(PipelineError) {
                let isHeader = isHeader(rows)
                let cells = (0..<rows.count).map { String(decoding: rows.cell($0), as: UTF8.self) }
                if options.columns == ColumnMap(), WrittenRows.isHeader(cells) { throw WrittenRows.incomplete }
                layout = try SetLayout(
                    width: rows.count, header: isHeader ? cells : [], options.columns,
                    topology: topology)
                if isHeader {
                    noteUnreadTime(in: cells)
                    return
                }
            } catch {
                isBroken = true
                throw error
            }
            return try take(rows, into: &frames)
        }
        guard rows.count == layout.width else {
            throw .frame(
                "decode.count", "the row has \(rows.count) cells, the first had \(layout.width)",
                help: options.row == .set
                    ? "with row: set, all strokes of a table have the same number of points; write strokes of different lengths with one point in each row (row: sample)"
                    : nil)
        }
        row.points.removeAll(keepingCapacity: true)
        for (index, columns) in layout.points.enumerated() {
            row.points.append(
                .init(
                    x: try value(rows, columns.x, "x", index), y: try value(rows, columns.y, "y", index),
                    z: columns.z < 0 ? 0 : try value(rows, columns.z, "z", index)))
        }
        row.hasDepth = layout.hasDepth
        row.label = rows.cell(layout.label).isEmpty ? nil : try label(rows, layout.label)
        row.handedness =
            rows.cell(layout.handedness).isEmpty ? nil : FieldMessage.side(try rows.text(layout.handedness))
        let stream =
            layout.stream < 0
            ? table.defaultStream : StreamID(try rows.text(layout.stream))
        let sequence: Int64
        if layout.t >= 0 {
            sequence = counters.next(of: stream)
            row.time = Timestamp(rawValue: try (options.tUnit ?? .s).time(in: rows, layout.t))
        } else {
            (row.time, sequence) = table.timeline.next(of: stream, hz: options.hz)
        }
        frames.append(
            Frame(
                make(row), at: row.time, stream: stream, sequence: sequence,
                origin: table.origins.origin(line: rows.lineNumber)))
    }

    override func skip(_ rows: TableRows, into frames: inout [Frame<P>]) -> StreamID? {
        if layout != nil { table.timeline.skip() }
        return table.stream(of: rows, layout?.stream ?? -1)
    }

    private func noteUnreadTime(in header: [String]) {
        guard let layout, layout.t < 0, options.hz == nil else { return }
        if let column = header.first(where: { TimeUnit.namesTime($0.lowercased()) }) {
            table.timeline.noteUnreadTime(column, of: table.origins.file)
        }
    }

    /// Returns whether a row is a header. If this is not configured, a row is a header if most of its filled cells after the first
    /// are not numbers. The first cell can be a label.
    private func isHeader(_ rows: TableRows) -> Bool {
        switch options.header {
        case .yes: return true
        case .no: return false
        case .auto:
            let filled = (1..<max(rows.count, 1)).filter { !rows.cell($0).isEmpty }
            return filled.count { !rows.isNumber($0) } * 2 > filled.count
        }
    }

    private func value(
        _ rows: TableRows, _ column: Int, _ axis: String, _ point: Int
    ) throws(PipelineError) -> Double {
        let cell = rows.cell(column)
        if let value = number(in: cell) { return value }
        let text = String(decoding: cell.prefix(40), as: UTF8.self)
        throw .frame(
            "decode.type",
            "column \(column + 1) (\(axis) of point \(point)): expected a number, found \(text.isEmpty ? "nothing" : quote(text))"
        )
    }

    private func label(_ rows: TableRows, _ column: Int) throws(PipelineError) -> String {
        let text = try rows.text(column)
        guard options.labels != nil else { return text }
        guard let number = Int(text), labels.indices.contains(number) else {
            throw .frame(
                "decode.label", "no class has the number \(quote(text))",
                help: "the file of labels has \(labels.count) names, numbered from 0")
        }
        return labels[number]
    }
}

extension TimeUnit {
    /// Returns the time in a column of the current row.
    func time(in rows: TableRows, _ column: Int) throws(PipelineError) -> Int64 {
        do {
            return try time(in: rows.cell(column))
        } catch {
            throw .frame(error.code, "column \(column + 1) (t): \(error.message)", help: error.help)
        }
    }
}

extension Landmarks {
    public static func _parser(_ table: TableSettings) throws -> RowParser<Landmarks>? {
        try SetRows(table, topology: table.landmarkTopology) { Landmarks($0, table.landmarks) }
    }

    fileprivate init(_ row: PointRow, _ traits: LandmarkTraits) {
        self.init(
            topology: (traits.topology?.topology ?? .hand21).identifier, space: traits.space?.rawValue,
            points: row.points, hasDepth: row.hasDepth, handedness: row.handedness, label: row.label)
    }
}

extension Hands {
    public static func _parser(_ table: TableSettings) throws -> RowParser<Hands>? {
        try SetRows(table, topology: table.landmarkTopology) { Hands(hands: [Landmarks($0, table.landmarks)]) }
    }
}
