import Pipeline
import PipelineComponents
import PipelineConfiguration
import PipelineTesting
import Testing

@testable import Connectors
@testable import Stages

@Suite("Tables")
struct TableTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func points(
        _ text: String, limit: Int = 64, blockSize: Int = 1 << 20, _ change: (inout DecodeOptions) -> Void
    ) async throws -> Reading<Points> {
        var options = FileSource.Options()
        options.path = FilePath(try folder.write("a.csv", text))
        options.kind = .points
        change(&options.decode)
        return try await drain(
            FileReplay<Points>(options, defaultStream: "file", blockSize: blockSize), limit: limit)
    }

    private func strokes(_ text: String, _ change: (inout DecodeOptions) -> Void = { _ in }) async throws -> Reading<
        Stroke
    > {
        try await readStrokes(try folder.write("a.csv", text)) { change(&$0.decode) }
    }

    @Test(
        "Tables: a column of times needs a unit, and the help suggests one that fits its name",
        arguments: [
            ("t_ms", "add t_unit: ms, if"), ("timeUs", "add t_unit: us, if"), ("TIME_MS", "add t_unit: ms, if"),
            ("when", "add t_unit: s, ms, us or ns"),
            ("time (us)", "add t_unit: us, if"),
            ("seconds", "add t_unit: s, if"), ("3", "add t_unit: s, ms, us or ns"), ("ns", "add t_unit: ns, if"),
        ])
    func timeUnit(column: String, help: String) {
        func load(_ rest: String) -> LoadedPipeline {
            PipelineLoader(registry: .standard).load(
                text: """
                    version: 1
                    sources:
                      - file: { path: a.csv, kind: stroke, decode: { columns: { t: \(column) }\(rest) } }
                    sinks: [stdout]
                    """)
        }
        let found = load("").diagnostics
        #expect(found.map(\.code) == ["decode.time_unit"])
        #expect(found.first?.help?.hasPrefix(help) == true, "\(found.first?.help ?? "")")
        #expect(load(", t_unit: ms").diagnostics.isEmpty)
    }

    @Test("Tables: a column t without a unit is refused once, not read in seconds, and columns without times need none")
    func unitOfOwnNames() async throws {
        let reading = try await strokes("x,y,t\n1,2,10\n3,4,20\n")
        #expect(reading.frames.isEmpty)
        #expect(reading.failures.map(\.code) == ["decode.time_unit"])
        let timed = try await strokes("x,y,t\n1,2,10\n3,4,20\n") { $0.tUnit = .ms }
        #expect(timed.frames.map(\.payload.samples.last?.t) == [10_000])
    }

    @Test("Tables: with the configured columns, each row is a move")
    func moves() async throws {
        let reading = try await points("t;who;x;y;force\r\n0.5;pen;1;-2.5;0.25\r\n0.75;pen;1e2;+4;\r\n") {
            $0.delimiter = ";"
            $0.columns.t = .name("t")
            $0.columns.p = .number(5)
            $0.columns.stream = .name("who")
        }
        #expect(reading.failures.isEmpty)
        #expect(reading.frames.map(\.timestamp.rawValue) == [500_000, 750_000])
        #expect(reading.frames.map(\.stream) == ["pen", "pen"])
        #expect(reading.frames.map(\.payload.phase) == [.move, .move])
        #expect(
            reading.frames.flatMap(\.payload.samples) == [Sample(x: 1, y: -2.5, p: 0.25), Sample(x: 100, y: 4)])
    }

    @Test("Tables: a column for strokes gives each stroke a begin and an end")
    func phases() async throws {
        for (limit, block) in [(64, 1 << 20), (1, 16), (2, 17)] {
            let reading = try await points(
                "10,0,0,a\n20,1,1,a\n30,2,2,a\n40,3,3,b\n50,4,4,c\n60,5,5,c\n", limit: limit, blockSize: block
            ) {
                $0.columns.t = .number(1)
                $0.columns.x = .number(2)
                $0.columns.y = .number(3)
                $0.columns.stroke = .number(4)
                $0.tUnit = .us
            }
            #expect(reading.frames.map(\.payload.phase) == [.begin, .move, .end, .begin, .end, .begin, .end])
            #expect(reading.frames.map(\.timestamp.rawValue) == [10, 20, 30, 40, 41, 50, 60])
            #expect(reading.frames.map(\.payload.stroke) == [0, 0, 0, 1, 1, 2, 2])
            #expect(reading.frames.map(\.sequence) == Array(0..<7))
        }
    }

    @Test("Tables: rows with the same gesture column become one gesture, and the stroke column separates its strokes")
    func gestures() async throws {
        let reading = try await strokes(
            """
            gesture,stroke,x,y,t,label
            1,a,0,0,5,cross
            1,a,1,1,15,cross
            1,b,2,0,10,cross
            2,a,3,3,40,"a ""b"", c"
            """
        ) {
            $0.columns.gesture = .name("gesture")
            $0.columns.stroke = .name("stroke")
            $0.columns.t = .name("t")
            $0.columns.label = .name("label")
            $0.tUnit = .ms
        }
        #expect(reading.failures.isEmpty)
        #expect(reading.frames.map(\.payload.counts) == [[2, 1], []])
        #expect(reading.frames.map(\.payload.label) == ["cross", "a \"b\", c"])
        #expect(reading.frames.first?.payload.samples.map(\.t) == [0, 10_000, 10_000])
        #expect(reading.frames.map(\.timestamp.rawValue) == [15_000, 40_000])
        #expect(reading.frames.map(\.payload.start.rawValue) == [5_000, 40_000])
    }

    @Test(
        "Tables: with a gesture column, rows without a label have that of their gesture; another label begins another gesture"
    )
    func labels() async throws {
        let rows = "1,,1,1\n1,a,2,2\n1,,3,3\n1,b,4,4\n2,,5,5\n"
        let reading = try await strokes("gesture,label,x,y\n\(rows)")
        #expect(reading.frames.map { $0.payload.samples.map(\.x) } == [[1, 2, 3], [4], [5]])
        #expect(reading.frames.map(\.payload.label) == ["a", "b", nil])
        // Without a gesture column, the rows without a label are gestures of their own.
        let others = try await strokes("number,label,x,y\n\(rows)")
        #expect(others.frames.map(\.payload.label) == [nil, "a", nil, "b", nil])
    }

    @Test(
        "Tables: if the header is one cell with another delimiter, the help names the option",
        arguments: [
            ("x;y\n1;2\n", "\";\"", ","), ("x\ty\n1\t2\n", "tab", ","), ("x|y\n1|2\n", "\"|\"", ","),
            ("x,y\n1,2\n", "\",\"", ";"),
        ])
    func otherDelimiter(text: String, delimiter: String, configured: String) async throws {
        let reading = try await strokes(text) { $0.delimiter = configured }
        #expect(reading.failures.map(\.code) == ["decode.column"])
        #expect(reading.failures.first?.help?.contains("set decode: { delimiter: \(delimiter) }") == true)
    }

    @Test(
        "Tables: with columns given by number, a first row that is not finite is a row with an error, not a header",
        arguments: ["nan", "inf", "1e400"])
    func notFinite(cell: String) async throws {
        let reading = try await strokes("\(cell),1\n2,3\n") {
            ($0.columns.x, $0.columns.y) = (.number(1), .number(2))
        }
        #expect(reading.failures.map(\.location) == ["\(folder.path)/a.csv, line 1"])
        #expect(reading.frames.isEmpty)
    }

    @Test("Tables: columns with canonical names are found without configuration")
    func ownNames() async throws {
        let reading = try await strokes("x,y,stroke,label\n1,2,0,a\n3,4,0,a\n5,6,1,b\n")
        #expect(reading.frames.map(\.payload.label) == ["a", "b"])
        #expect(reading.frames.map(\.payload.samples.count) == [2, 1])
    }

    @Test("Tables: several files with one gesture each become one stream")
    func oneGestureEach() async throws {
        try folder.write("data/circle-1.csv", "t,x,y\n7,0,0\n7.5,1,1\n")
        try folder.write("data/circle-2.csv", "t,x,y\n3,0,0\n3.25,1,1\n")
        let reading = try await readStrokes("\(folder.path)/data") { $0.decode.tUnit = .s }
        #expect(reading.frames.map(\.timestamp.rawValue) == [500_000, 1_750_000])
        #expect(reading.frames.map(\.sequence) == [0, 1])
        #expect(reading.frames.map { $0.origin?.file } == ["data/circle-1.csv", "data/circle-2.csv"])
    }

    @Test("Tables: cells in quotes may hold delimiters, quotes and line feeds")
    func quotes() async throws {
        let reading = try await strokes(
            "x,y,label\n1,2,\"two\nlines, \"\"quoted\"\"\"\n\"3\",4,\"two\nlines, \"\"quoted\"\"\"\n"
        ) {
            $0.columns.label = .name("label")
        }
        #expect(reading.failures.isEmpty)
        #expect(reading.frames.map(\.payload.label) == ["two\nlines, \"quoted\""])
        #expect(reading.frames.first?.payload.samples.count == 2)
    }

    @Test("Tables: a wrong row is one error with a position, and the other rows are read")
    func wrongRows() async throws {
        let reading = try await points("1,2,3\n2,x,3\n3,4\n4,5,6\n5,\"6\"7,8\n6,nan,1\n7,0x10,1\n8,1,2\n9,1\"2,3\n") {
            $0.columns.t = .number(1)
            $0.columns.x = .number(2)
            $0.columns.y = .number(3)
        }
        #expect(reading.frames.map(\.timestamp.rawValue) == [1_000_000, 4_000_000, 8_000_000])
        let remedy = " (put a cell that contains quotes in quotes, and double each quote in it: \"5\"\" pen\")"
        #expect(
            reading.failures.map(\.description) == [
                "\(folder.path)/a.csv, line 2: column 2 (x): expected a number, found \"x\" [decode.type]",
                "\(folder.path)/a.csv, line 3: column 3 (y): expected a number, found nothing [decode.type]",
                "\(folder.path)/a.csv, line 5, byte 5: something follows a cell in quotes [decode.syntax]\(remedy)",
                "\(folder.path)/a.csv, line 6: column 2 (x): expected a number, found \"nan\" [decode.type]",
                "\(folder.path)/a.csv, line 7: column 2 (x): expected a number, found \"0x10\" [decode.type]",
                "\(folder.path)/a.csv, line 9, byte 3: a cell that is not in quotes contains a quote [decode.syntax]\(remedy)",
            ])
    }

    @Test("Tables: a row that cannot be read fails in its stream, after the frames before it")
    func failedStreams() async throws {
        let (a, b) = ("a,1,0,1,1\na,1,10,2,2\na,1,20,NaN,3\na,1,30,4,4\n", "b,2,40,x,1\nb,2,50,1,1\nb,2,60,2,2\n")
        let reading = try await points("stream,stroke,t,x,y\n\(a)\(b)") { $0.tUnit = .us }
        #expect(reading.losses == ["a after 2", "b after 3"])
        #expect(reading.frames.map(\.timestamp.rawValue) == [0, 10, 30, 50, 60])
        // The first frame of stroke 1 is missing, so the stroke does not begin with the second.
        #expect(reading.frames.map(\.payload.phase) == [.begin, .move, .end, .move, .end])
        #expect(reading.frames.map(\.payload.stroke) == [0, 0, 0, 1, 1])
    }

    @Test("Tables: a row that lacks the cell of its stroke counts as a row of the stroke before it")
    func shortRows() async throws {
        let rows = "1,1,0,1\n2,2\n3,\"3\"3,20,1\n4,4,30,1\n5,5\n6,6,50,2\n7,7,60,2\n"
        let reading = try await points("x,y,t,stroke\n\(rows)") { $0.tUnit = .us }
        #expect(reading.losses == ["file after 1", "file after 1", "file after 2"])
        #expect(reading.frames.map(\.payload.phase) == [.begin, .move, .begin, .end])
        #expect(reading.frames.map(\.payload.stroke) == [0, 0, 1, 1])
    }

    @Test("Tables: a stroke with a row that cannot be read is discarded by segment, as it is from JSON Lines")
    func interruptedStroke() async throws {
        let rows = "0,1,1,1\n10,2,2,1\n20,NaN,3,1\n30,4,4,1\n1000,1,1,2\n1010,2,2,2\n"
        let path = try folder.write("a.csv", "t,x,y,stroke\n\(rows)")
        let plan = try Plan(
            text: """
                version: 1
                sources:
                  - file:
                      path: "\(path)"
                      kind: points
                      on_error: skip
                      decode: { columns: { t: t, stroke: stroke }, t_unit: ms }
                stages: [segment: { multi_stroke_timeout_ms: 100 }]
                sinks: [file: { path: "\(folder.path)/out.jsonl" }]
                """, registry: .standard)
        _ = await Run(plan).finished()
        let strokes = try folder.read("out.jsonl").split(separator: "\n")
        #expect(strokes.count == 1)
        #expect(strokes.first?.contains(#""pts":[1,1,0,2,2,10000]"#) == true, "\(strokes)")
    }

    @Test(
        "Tables: a gesture with rows that cannot be read is one failure, at the first of them, and the others are whole",
        arguments: [
            ("gesture,x,y\n1,0,0\n2,1,1\n2,x,1\n2,2,2\n2,y,2\n3,5,5\n3,6,6\n", 4, 1, [[0], [5, 6]]),
            ("x,y,stroke\n1,1,1\n2,z,2\n3,3,2\n4,4,3\n", 3, 1, [[1], [4]]),
            ("x,y,stroke\n1,1,1\n2,z,1\n4,4,2\n", 3, 0, [[4]]),
            // A row without the cell of its stroke counts as a row of the stroke before it.
            ("x,y,stroke\n1,1,1\n2\n3,3,1\n4,4,2\n", 3, 0, [[4]]),
            ("x,y,stroke\n1,1,1\n2,\"2\"2,1\n3,3,1\n4,4,2\n", 3, 0, [[4]]),
            ("x,y\n1,1\nx,2\n3,3\n", 3, 0, []),
        ] as [(String, Int, Int, [[Double]])])
    func lostGestures(text: String, line: Int, before: Int, wanted: [[Double]]) async throws {
        let reading = try await strokes(text)
        #expect(reading.frames.map { $0.payload.samples.map(\.x) } == wanted)
        #expect(reading.failures.map { $0.location?.contains("a.csv, line \(line)") } == [true])
        #expect(reading.losses == ["file after \(before)"])
    }

    @Test("Tables that pipectl has written: a frame with a row that cannot be divided into cells is lost")
    func writtenRows() async throws {
        let header = "stream,seq,t_us,stroke,x,y,sample_us,p,label,subject\n"
        let lost = "a,1,40,0,1,2,30,,,\na,1,40,0,\"3\"3,2,40,,,\na,1,40,0,x,2,41,,,\n"
        let quoted = try await strokes("\(header)a,0,20,0,1,2,0,,,\n\(lost)a,2,60,0,1,2,50,,,\n")
        #expect(quoted.frames.map(\.sequence) == [0, 2])
        #expect(quoted.losses == ["a after 1"])
        // A row that does not say to which frame it belongs counts as a row of the frame before it.
        let unnamed = try await strokes(
            header + "a,0,20,0,1,2,0,,,\na,zero,20,0,3,2,10,,,\na,0,20,0,5,2,20,,,\na,1,40,0,1,2,30,,,\n")
        #expect(unnamed.frames.map(\.sequence) == [1])
        #expect(unnamed.losses == ["a after 0"])
    }

    @Test("Tables: with some columns assigned, columns that would otherwise be read get a warning")
    func unreadColumns() async throws {
        let text = "t,x,y,label,gesture\n0,1,1,a,1\n10,2,2,a,1\n1000,1,1,b,2\n"
        let words = "columns that are not read"
        let all = try await strokes(text) { $0.tUnit = .ms }
        #expect(all.frames.map(\.payload.label) == ["a", "b"])
        #expect(!all.log.contains { $0.contains(words) }, "\(all.log)")
        let some = try await strokes(text) { ($0.columns.t, $0.tUnit) = (.name("t"), .ms) }
        #expect(some.frames.map(\.payload.label) == [nil])
        let remedy = "columns: { gesture: gesture, label: label }"
        let warnings = some.log.filter { $0.contains(words) }
        #expect(warnings.count == 1 && warnings[0].contains("in 1 of 1 files (a.csv)"), "\(some.log)")
        #expect(some.log.contains { $0.contains(remedy) }, "\(some.log)")
        // A column that is read with another meaning, and columns that points do not have, get none.
        let other = try await strokes("x,y,gesture\n1,1,a\n") { $0.columns.label = .name("gesture") }
        #expect(!other.log.contains { $0.contains(words) }, "\(other.log)")
        let pieces = try await points(text) { ($0.columns.t, $0.tUnit) = (.name("t"), .ms) }
        #expect(!pieces.log.contains { $0.contains(words) }, "\(pieces.log)")
    }

    @Test(
        "Tables: a pressure that only some rows of a gesture have is an error in the first row that differs",
        arguments: ["x,y,p\n1,2,0.5\n3,4,\n", "x,y,p\n1,2,\n3,4,0.5\n", "x,y,p\n1,2,0.5\n3,4\n"])
    func somePressures(text: String) async throws {
        let reading = try await strokes(text) { $0.columns.p = .name("p") }
        #expect(
            reading.failures.map(\.description) == [
                "\(folder.path)/a.csv, line 3: only some rows of the gesture have a pressure [decode.missing] "
                    + "(fill in the column of pressures, or leave it out of columns)"
            ])
        #expect(reading.frames.isEmpty)
    }

    @Test("Tables: one gesture may have pressures and the next none")
    func pressuresOfOneGesture() async throws {
        let reading = try await strokes("x,y,p,label\n1,2,0.5,pen\n3,4,0,pen\n5,6,,mouse\n7,8,,mouse\n")
        #expect(reading.failures.isEmpty)
        #expect(reading.frames.map(\.payload.fields) == [.pressure, []])
        #expect(reading.frames.first?.payload.samples.map(\.p) == [0.5, 0])
    }

    @Test("Tables: the files in which sample times go back are logged once, and three of them are named")
    func raisedTimes() async throws {
        try folder.write("data/a.csv", "t,x,y\n1,0,0\n3,1,1\n2,2,2\n1,3,3\n")
        try folder.write("data/b.csv", "t,x,y\n1,0,0\n1,1,1\n")
        let reading = try await readStrokes("\(folder.path)/data") { $0.decode.tUnit = .s }
        #expect(reading.frames.first?.payload.samples.map(\.t) == [0, 2_000_000, 2_000_000, 2_000_000])
        #expect(reading.log.filter { $0.contains("went back") }.count == 1)
        let words = "had sample times that went back; they were raised"
        #expect(reading.log.contains { $0.contains("1 of 2 files (data/a.csv) \(words)") }, "\(reading.log)")
        let gesture = "<Gesture Name='a'><Point X='1' Y='2' T='3'/><Point X='1' Y='2' T='1'/></Gesture>"
        try folder.write("many/1.xml", gesture)
        for name in 2...5 { try folder.write("many/\(name).csv", "t,x,y\n\(name == 3 ? 0 : 1),0,0\n0,1,1\n") }
        let many = try await readStrokes("\(folder.path)/many") { $0.decode.tUnit = .s }
        let names = "many/1.xml, many/2.csv, many/4.csv, …"
        #expect(many.log.contains { $0.contains("4 of 5 files (\(names)) \(words)") }, "\(many.log)")
    }

    @Test("Tables: rows of several streams that alternate within gestures are reported once; sorted rows are not")
    func scatteredRows() async throws {
        let header = "stream,gesture,x,y\n"
        let (a, b) = (["a,1,0,0\n", "a,1,1,1\n", "a,2,2,2\n"], ["b,1,5,5\n", "b,1,6,6\n"])
        let mixed = try await strokes(header + a[0] + b[0] + a[1] + b[1] + a[2])
        #expect(mixed.frames.map(\.payload.samples.count) == [1, 1, 1, 1, 1])
        let words = "in 1 of 1 files (a.csv), rows of other streams are between the rows of a gesture"
        #expect(mixed.log.filter { $0.contains(words) }.count == 1, "\(mixed.log)")
        let sorted = try await strokes(header + a.joined() + b.joined())
        #expect(sorted.frames.map(\.payload.samples.count) == [2, 1, 2])
        #expect(!sorted.log.contains { $0.contains(words) }, "\(sorted.log)")
    }

    @Test("Tables: a missing column is one error, not one for each row")
    func missingColumn() async throws {
        let reading = try await strokes("a,b\n1,2\n3,4\n")
        #expect(reading.frames.isEmpty)
        #expect(
            reading.failures.map(\.description) == [
                "\(folder.path)/a.csv, line 1: no column is named \"x\" [decode.column] "
                    + "(the header has: a, b; if each row is a hand: kind: hands, or --kind=hands; "
                    + "if each row is a stroke: decode: { row: set })"
            ])
    }

    @Test("Tables: rows with all points of a stroke each are read as the help for a missing column x says")
    func wideRows() async throws {
        let reading = try await strokes("label,x0,y0,x1,y1\na,1,2,3,4\nb,5,6,7,8\n") { $0.row = .set }
        #expect(reading.failures.isEmpty)
        #expect(reading.frames.map { $0.payload.samples.map(\.x) } == [[1, 3], [5, 7]])
        #expect(reading.frames.map { $0.payload.samples.map(\.y) } == [[2, 4], [6, 8]])
        #expect(reading.frames.map(\.payload.label) == ["a", "b"])
    }

    @Test("Tables: a first row of numbers is not a header, and a long header is shortened in the help")
    func header() async throws {
        let bare = try await strokes("1.5,2,3\n4,5,6\n")
        #expect(
            bare.failures.map(\.description) == [
                "\(folder.path)/a.csv, line 1: column \"x\" cannot be found: the first row holds numbers, not names [decode.column] "
                    + "(write the names above it, as in x,y,t, or give columns by number: columns: { x: 1, y: 2 })"
            ])
        let wide = try await strokes((0..<500).map { "name\($0)" }.joined(separator: ",") + "\n")
        #expect(wide.failures.first?.help?.contains("name10, name11, …;") == true)
    }

    @Test("Tables: a quote that never closes is one error")
    func openQuote() async throws {
        let reading = try await strokes("x,y\n1,2\n\"3,4\n5,6\n")
        #expect(reading.failures.map(\.code) == ["decode.truncated"])
        #expect(reading.failures.map(\.location) == ["\(folder.path)/a.csv, line 3, byte 0"])
        #expect(reading.frames.isEmpty)
    }

    @Test("Tables: numbers are read to the same values as by Swift")
    func numbers() {
        var generator = PayloadGenerator(seed: 21)
        for _ in 0..<20_000 {
            let value = generator.number()
            #expect(number(in: Array(String(value).utf8)[...]) == value)
        }
        for text in ["0.1", "-0.3", "123456789012345", "0.000000000000001", "1234567.8901234", ".5", "5.", "00012.50"] {
            #expect(number(in: Array(text.utf8)[...]) == Double(text), "\(text)")
        }
        for text in ["", "-", ".", "1e", "--1", "1.2.3", "1 2", "1e999", "inf", "١"] {
            #expect(number(in: Array(text.utf8)[...]) == nil, "\(text)")
        }
    }

    @Test(
        "Tables of recorded mouse sessions are all read without errors",
        .enabled(if: pipelineData != nil, "PIPELINE_DATA is not set"))
    func mouse() async throws {
        var options = FileSource.Options()
        let files = GestureData.isComplete ? "*" : "*6"
        options.path = FilePath("\(pipelineData ?? "")/machete_mouse/sessions/\(files).csv")
        options.kind = .points
        options.decode.tUnit = .s
        let reading = try await drain(FileReplay<Points>(options, defaultStream: "mouse"), limit: 1000)
        #expect(reading.failures.isEmpty)
        #expect(reading.frames.count > 10_000)
        #expect(reading.frames.allSatisfy { $0.payload.samples.count == 1 && $0.payload.fields == .time })
    }
}
