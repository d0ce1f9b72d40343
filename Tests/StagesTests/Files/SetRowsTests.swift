import Pipeline
import PipelineComponents
import PipelineTesting
import Testing

@testable import Connectors
@testable import Stages

@Suite("Tables with a set of points in every row")
struct SetRowsTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func read<P: WirePayload>(
        _ text: String, _: P.Type = P.self, _ change: (inout FileSource.Options) -> Void = { _ in }
    ) async throws -> Reading<P> {
        var options = FileSource.Options()
        options.path = FilePath(try folder.write("a.csv", text))
        change(&options)
        return try await drain(FileReplay<P>(options, defaultStream: "file"))
    }

    /// Returns points with the coordinates (i, 100 + i), or (i, 100 + i, 200 + i) with depth.
    private static func points(_ hasDepth: Bool, _ count: Int = 21) -> [Landmarks.Point] {
        (0..<count).map { point(Double($0), 100 + Double($0), hasDepth ? 200 + Double($0) : 0) }
    }

    /// Returns the numbers of the points, point by point.
    private static func cells(_ hasDepth: Bool) -> String {
        points(hasDepth).map { "\($0.x),\($0.y)" + (hasDepth ? ",\($0.z)" : "") }.joined(separator: ",")
    }

    private static func header(_ name: (Int, String) -> String, axes: [String] = ["x", "y"]) -> String {
        (0..<21).flatMap { i in axes.map { name(i, $0) } }.joined(separator: ",")
    }

    @Test(
        "Tables of point sets may have 42 or 63 numbers in a row, with or without a label and a header",
        arguments: [false, true])
    func shapes(hasDepth: Bool) async throws {
        let axes = hasDepth ? ["x", "y", "z"] : ["x", "y"]
        let cells = Self.cells(hasDepth)
        let named = Self.header({ "\($1)\($0)" }, axes: axes)
        let other = Self.header({ "column \($0) \($1)!" }, axes: axes)
        for (text, label) in [
            (cells, nil), ("open,\(cells)", "open"), ("3,\(cells)\n", "3"), ("\(named)\n\(cells)", nil),
            ("label,\(named)\r\nopen,\(cells)", "open"), ("what,\(other)\nopen,\(cells)", "open"),
            ("\(named),class\n\(cells),open", "open"), ("frame,\(named)\n17,\(cells)", nil),
        ] as [(String, String?)] {
            let reading = try await read(text, Landmarks.self)
            #expect(reading.failures.isEmpty, "\(text.prefix(60))")
            #expect(reading.frames.map(\.payload.points) == [Self.points(hasDepth)], "\(text.prefix(60))")
            #expect(reading.frames.first?.payload.label == label)
            #expect(reading.frames.first?.payload.hasDepth == hasDepth)
        }
    }

    @Test("Tables of point sets: a column that is named like a time gets a warning unless it is read")
    func unreadTimes() async throws {
        let words = "in 1 of 1 files (a.csv), the column \"Time_ms\" seems to contain times but is not read"
        let named = Self.header { "\($1)\($0)" }
        let text = "\(named),Time_ms\n\(Self.cells(false)),250\n"
        let unread = try await read(text, Landmarks.self)
        #expect(unread.log.filter { $0.contains(words) }.count == 1, "\(unread.log)")
        let read = try await self.read(text, Landmarks.self) {
            $0.decode.columns.t = .name("Time_ms")
            $0.decode.tUnit = .ms
        }
        #expect(read.frames.map(\.timestamp) == [.microseconds(250_000)])
        #expect(read.log.allSatisfy { !$0.contains("is not read") })
        let other = try await self.read("\(named),score\n\(Self.cells(false)),250\n", Landmarks.self)
        #expect(other.log.allSatisfy { !$0.contains("is not read") })
    }

    @Test("Tables of point sets may have a column of the handedness, in any case")
    func handedness() async throws {
        let text = "handedness,\(Self.header { "\($1)\($0)" })\nLEFT,\(Self.cells(false))\nr,\(Self.cells(false))\n"
        #expect(try await read(text, Landmarks.self).frames.map(\.payload.handedness) == ["Left", "Right"])
    }

    @Test("Tables of point sets take point and axis of each column from the header, in any order")
    func named() async throws {
        let places = Topology.hand21.points
        let other = Topology.hand21.otherNames
        for name in [
            { "\($1)_\($0)" }, { "\($0)_\($1)" }, { "landmark_\($0)_\($1)" }, { "lm\($0).\($1.uppercased())" },
            { "\($1)\($0 + 1)" },
            { "\(places[$0])_\($1)" }, { "\(other[$0])_\($1.uppercased())" },
        ] as [(Int, String) -> String] {
            // First all y from the last point to the first, then all x.
            let order = (0..<21).reversed().map { ($0, "y") } + (0..<21).map { ($0, "x") }
            let header = order.map(name).joined(separator: ",")
            let row = order.map { $1 == "x" ? "\($0)" : "\(100 + $0)" }.joined(separator: ",")
            let reading = try await read("handedness,\(header)\nLeft,\(row)\n", Hands.self)
            #expect(reading.failures.isEmpty, "\(header)")
            #expect(reading.frames.map(\.payload.hands.first?.points) == [Self.points(false)], "\(header)")
            #expect(reading.frames.first?.payload.hands.first?.handedness == "Left")
        }
    }

    @Test("A table whose header names the coordinates of 21 points holds hands, whatever other columns there are")
    func kind() throws {
        let places = Topology.hand21.points
        func kind(_ header: String) throws -> PayloadKind {
            try PayloadKind.recorded(in: folder.write("a.csv", header + "\n"))
        }
        for name in [{ "\($1)\($0)" }, { "\($0)_\($1)" }, { "\(places[$0])_\($1)" }] as [(Int, String) -> String] {
            for axes in [["x", "y"], ["z", "y", "x"]] {
                let named = Self.header(name, axes: axes)
                for header in [named, "label,handedness,\(named)", "frame,\(named),score,seconds,label"] {
                    #expect(try kind(header) == .hands, "\(header)")
                }
            }
        }
        let twenty = (0..<20).map { "x\($0),y\($0)" }.joined(separator: ",")
        for header in [twenty, "label,handedness,\(twenty)", "x,y,t", "label,x0,y0,x,y"] {
            #expect(try kind(header) == .stroke, "\(header)")
        }
    }

    @Test(
        "Tables of point sets take times and streams from the configured columns; without times, rows follow at the rate hz"
    )
    func times() async throws {
        let cells = Self.cells(false)
        let header = "ms,who," + Self.header { "x\($0)".replacing("x", with: $1) }
        let timed = try await read("\(header)\n5,a,\(cells)\n9,b,\(cells)", Landmarks.self) {
            $0.decode.columns.t = .name("ms")
            $0.decode.columns.stream = .name("who")
            $0.decode.tUnit = .ms
        }
        #expect(timed.frames.map(\.timestamp.rawValue) == [5000, 9000])
        #expect(timed.frames.map(\.stream) == ["a", "b"])
        let untimed = try await read("\(cells)\n\(cells)\n\(cells)", Landmarks.self) { $0.decode.hz = 25 }
        #expect(untimed.frames.map(\.timestamp.rawValue) == [0, 40_000, 80_000])
        #expect(untimed.frames.map(\.sequence) == [0, 1, 2])
        let streams = try await read("\(header)\n0,a,\(cells)\n0,b,\(cells)\n0,a,\(cells)", Landmarks.self) {
            $0.decode.columns.stream = .name("who")
            $0.decode.hz = 25
        }
        #expect(streams.frames.map(\.timestamp.rawValue) == [0, 40_000, 80_000])
        #expect(streams.frames.map(\.sequence) == [0, 0, 1])
    }

    @Test("Tables of point sets: a row that cannot be read takes its place in time, but no sequence number")
    func unreadRows() async throws {
        let cells = Self.cells(false)
        // Rows 2 and 4 are unreadable: one has too few cells, and one a misplaced quote.
        let text = "\(cells)\n1,2\n\(cells)\n\"1\"2,\(cells)\n\(cells)\n"
        let reading = try await read(text, Landmarks.self) { $0.decode.hz = 10 }
        #expect(reading.failures.map(\.code) == ["decode.count", "decode.syntax"])
        #expect(reading.frames.map(\.timestamp.rawValue) == [0, 200_000, 400_000])
        #expect(reading.frames.map(\.sequence) == [0, 1, 2])
        #expect(reading.losses == ["file after 1", "file after 2"])
        let slow = try await read("\(Self.header { "\($1)\($0)" })\n\(text)", Landmarks.self)
        #expect(slow.frames.map(\.timestamp.rawValue) == [0, 2_000_000, 4_000_000])
    }

    @Test("Tables of point sets: a row that cannot be read fails in its stream, which is unknown without its cell")
    func failedStreams() async throws {
        let cells = Self.cells(false)
        let header = "who," + Self.header { "\($1)\($0)" }
        let reading = try await read("\(header)\na,\(cells)\nb,1\n\"b\"a,\(cells)\na,\(cells)\n", Landmarks.self) {
            $0.decode.columns.stream = .name("who")
        }
        #expect(reading.frames.map(\.stream) == ["a", "a"])
        #expect(reading.losses == ["b after 1", " after 1"])
    }

    @Test(
        "Tables of point sets: a first row in which few cells are not finite numbers is a row with an error, not a header",
        arguments: ["nan", "NaN", "inf", "-inf", "1e400", "0.3.1", "-"])
    func brokenFirstRow(cell: String) async throws {
        let cells = Self.cells(false)
        let first = cells.split(separator: ",").dropLast().joined(separator: ",") + ",\(cell)"
        let reading = try await read("\(first)\n\(cells)", Landmarks.self)
        #expect(reading.failures.map(\.location) == ["\(folder.path)/a.csv, line 1"])
        #expect(
            reading.failures.map(\.message) == ["column 42 (y of point 20): expected a number, found \"\(cell)\""])
        #expect(reading.frames.map(\.payload.points) == [Self.points(false)])
    }

    @Test("Tables of point sets: an empty cell of a label or a handedness means that there is none")
    func emptyCells() async throws {
        let text = "label,hand,\(Self.header { "\($1)\($0)" })\n,,\(Self.cells(false))\n"
        let reading = try await read(text, Landmarks.self)
        #expect(reading.frames.map(\.payload.label) == [nil])
        #expect(reading.frames.map(\.payload.handedness) == [nil])
    }

    @Test("Tables of point sets take the names of classes from a file")
    func labels() async throws {
        let names = try folder.write("names.csv", "\u{FEFF}Open\r\nClose\r\n")
        let cells = Self.cells(false)
        let reading = try await read("1,\(cells)\n0,\(cells)\n2,\(cells)", Landmarks.self) {
            $0.decode.labels = FilePath(names)
        }
        #expect(reading.frames.map(\.payload.label) == ["Close", "Open"])
        #expect(reading.failures.map(\.code) == ["decode.label"])
        #expect(reading.failures.first?.location == "\(folder.path)/a.csv, line 3")
    }

    @Test("Tables of point sets give strokes with row: set")
    func strokes() async throws {
        let reading = try await read("2,0,0,1,5\n0,3,4,5,6", Stroke.self) { $0.decode.row = .set }
        #expect(reading.frames.map(\.payload.label) == ["2", "0"])
        #expect(
            reading.frames.map(\.payload.samples) == [
                [Sample(x: 0, y: 0), Sample(x: 1, y: 5)], [Sample(x: 3, y: 4), Sample(x: 5, y: 6)],
            ])
        #expect(reading.frames.map(\.payload.start) == [.zero, .milliseconds(1000)])
    }

    @Test("Tables of point sets: strokes of different lengths are refused with a help that names row: sample")
    func strokesOfDifferentLengths() async throws {
        let reading = try await read("2,0,0,1,5\n0,3,4,5,6,7,8\n1,1,1,2,2", Stroke.self) { $0.decode.row = .set }
        #expect(reading.frames.map(\.payload.label) == ["2", "1"])
        #expect(reading.failures.map(\.message) == ["the row has 7 cells, the first had 5"])
        #expect(reading.failures.first?.help?.contains("(row: sample)") == true)
    }

    @Test(
        "Tables of point sets have as many points as the configured topology",
        arguments: [(Topology.pose17, 17), (Topology.hand21.part([0, 4, 8]), 3)])
    func topologies(topology: Topology, count: Int) async throws {
        let row = (0..<count).map { "\($0),\(100 + $0)" }.joined(separator: ",")
        let reading = try await read("a,\(row)", Landmarks.self) { $0.landmarks.topology = TopologyName(topology) }
        #expect(reading.frames.map(\.payload.points) == [Self.points(false, count)])
        #expect(reading.frames.first?.payload.topology == topology.identifier)
    }

    @Test(
        "Tables of point sets: wrong rows and headers are errors with their lines",
        arguments: [
            ("1,2,3", "decode.count", "a.csv, line 1", 1), ("", "", "", 0),
            ("CELLS\nCELLS,7", "decode.count", "a.csv, line 2", 1),
            ("CELLS\nx,CELLS", "decode.count", "a.csv, line 2", 1),
            ("x0,y0,x1\n1,2,3", "decode.column", "a.csv, line 1", 1),
            ("x0,y0,x1,y1\n1,2,3,4\n1,2,3,4", "decode.column", "a.csv, line 1", 1),
            ("a,CELLS,b", "decode.count", "a.csv, line 1", 1),
        ])
    func wrong(text: String, code: String, place: String, count: Int) async throws {
        let reading = try await read(text.replacing("CELLS", with: Self.cells(false)), Landmarks.self)
        #expect(reading.failures.map(\.code) == Array(repeating: code, count: count))
        if count > 0 { #expect(reading.failures.first?.location == "\(folder.path)/\(place)") }
    }

    @Test("Tables of point sets: a cell that is not a number loses its row, and the next row is read")
    func badCell() async throws {
        let cells = Self.cells(false)
        let bad = "nan," + cells.split(separator: ",").dropFirst().joined(separator: ",")
        let reading = try await read("\(cells)\n\(bad)\n\(cells)", Landmarks.self) { $0.decode.header = .no }
        #expect(reading.frames.count == 2)
        #expect(reading.failures.map(\.message) == ["column 1 (x of point 0): expected a number, found \"nan\""])
    }
}
