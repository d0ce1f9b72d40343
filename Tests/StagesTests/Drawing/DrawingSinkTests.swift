import CCairo
import Foundation
import Pipeline
import PipelineComponents
import PipelineConfiguration
import PipelineTesting
import Testing

@testable import Connectors
@testable import Stages

#if canImport(FoundationXML)
    import FoundationXML
#endif

@Suite("The sinks that draw")
struct DrawingSinkTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func options(
        _ name: String, _ output: DrawingOptions.Output, _ change: (inout DrawingOptions) -> Void = { _ in }
    )
        -> DrawingOptions
    {
        var options = DrawingOptions()
        options.path = OutputPath("\(folder.path)/\(name)")
        options.output = output
        change(&options)
        return options
    }

    private func context(_ clock: any RunClock = SkippingClock()) -> SinkContext {
        SinkContext(id: "sink", clock: clock, cancel: StopSignal(), log: .silent)
    }

    /// Writes frames and closes the sink. Returns the reasons of refused frames.
    @discardableResult
    private func run<P: Drawable>(
        _ frames: [P], _ options: DrawingOptions, _ format: PictureFormat = .svg
    ) async throws -> [String] {
        var sink = DrawingSink<P>(options, format)
        try await sink.open(context())
        var refused: [String] = []
        for (i, payload) in frames.enumerated() {
            do {
                try sink.write(Frame(payload, at: .milliseconds(Int64(i)), stream: "pen", sequence: Int64(i)))
            } catch let refusal as Refusal {
                refused.append(refusal.reason.rawValue)
            }
        }
        try await sink.close()
        return refused
    }

    /// Returns how often each element occurs in a file, by name. Records an issue if the file is not XML.
    private func elements(_ name: String) throws -> [String: Int] {
        final class Counter: NSObject, XMLParserDelegate {
            var counts: [String: Int] = [:]
            func parser(
                _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
                attributes: [String: String]
            ) { counts[name, default: 0] += 1 }
        }
        let parser = XMLParser(data: Data(try folder.read(name).utf8))
        let counter = Counter()
        parser.delegate = counter
        #expect(parser.parse(), "\(String(describing: parser.parserError))")
        return counter.counts
    }

    private var gesture: Stroke {
        Stroke(
            samples: TestCurve.samples(hz: 30) + [Sample(x: 0, y: 0)], counts: [61, 1], fields: .time,
            label: "<a> & \"b\"\u{1}")
    }

    @Test(
        "Drawing sinks: a sheet has a cell and a name for each gesture and a line for each stroke, and is XML for any name"
    )
    func sheet() async throws {
        try await run([gesture, gesture], options("a.svg", .sheet))
        let counts = try elements("a.svg")
        #expect(counts["rect"] == 3)
        #expect(counts["polyline"] == 4)
        #expect(counts["text"] == 4)
    }

    @Test("Drawing sinks: figures beyond the limit of a sheet are dropped, counted and mentioned on it")
    func limit() async throws {
        let refused = try await run([gesture, gesture, gesture], options("a.svg", .sheet) { $0.limit = 1 })
        #expect(refused == ["drawing_full", "drawing_full"])
        #expect(try folder.read("a.svg").contains(">and 2 more</text>"))
    }

    @Test("Drawing sinks: files of an earlier run are found whatever the number of {n} in the path")
    func numbered() throws {
        for name in ["g-12-12.svg", "g-12-13.svg", "g-1-1.svg", "g--.svg", "g-a-a.svg", "7.svg"] {
            try folder.write(name, "")
        }
        func found(_ pattern: String) -> [String] {
            FileListing.numbered("\(folder.path)/\(pattern)").map { String($0.dropFirst(folder.path.count + 1)) }
        }
        #expect(found("g-{n}-{n}.svg") == ["g-1-1.svg", "g-12-12.svg"])
        #expect(found("{n}.svg") == ["7.svg"] && found("g-12-{n}.svg") == ["g-12-12.svg", "g-12-13.svg"])
        #expect(found("7.svg") == [])
    }

    @Test("Drawing sinks: with output frames, each frame gets a file, numbered in order")
    func frames() async throws {
        try await run([gesture, gesture], options("g-{n}.svg", .frames))
        #expect(try elements("g-0001.svg")["polyline"] == 2)
        #expect(try elements("g-0002.svg")["polyline"] == 2)
    }

    @Test("Drawing sinks: pieces of strokes become figures, without canceled strokes and with unfinished ones")
    func pieces() async throws {
        func piece(_ phase: Points.Phase, _ x: Double) -> Points { Points(phase: phase, samples: [Sample(x: x, y: 1)]) }
        let points = [
            piece(.begin, 0), piece(.move, 1), piece(.end, 2), piece(.begin, 3), piece(.cancel, 4), piece(.begin, 5),
            piece(.move, 6),
        ]
        try await run(points, options("a.svg", .sheet))
        #expect(try elements("a.svg")["polyline"] == 2)
        try await run(points, options("b.svg", .drawing))
        #expect(try elements("b.svg")["polyline"] == 2)
    }

    @Test("Drawing sinks: a drawing is written during the run, no more often than its interval allows")
    func growing() async throws {
        let clock = SkippingClock()
        var sink = DrawingSink<Ink>(options("a.svg", .drawing), .svg)
        try await sink.open(context(clock))
        func write(_ phase: Ink.Phase, _ x: Double) throws -> String {
            try sink.write(Frame(Ink(phase: phase, points: [.init(x: x, y: 0, width: 2)]), at: .zero, stream: "pen"))
            try sink.flush()
            return try folder.read("a.svg")
        }
        let first = try write(.begin, 0)
        #expect(first.contains("<path"))
        #expect(try write(.move, 50) == first)
        try await clock.sleep(until: clock.now + 500_000_000)
        let second = try write(.move, 100)
        #expect(second != first)
        try await sink.close()
        #expect(try elements("a.svg")["path"] == 1)
    }

    @Test("Drawing sinks: an existing file is kept unless it may be replaced, and a missing folder is an error at once")
    func ifExists() async throws {
        try folder.write("a.svg", "mine")
        let error = await #expect(throws: PipelineError.self) { try await run([gesture], options("a.svg", .sheet)) }
        #expect(error?.code == "file.exists")
        #expect(try folder.read("a.svg") == "mine")
        try await run([gesture], options("a.svg", .sheet) { $0.ifExists = .overwrite })
        #expect(try folder.read("a.svg").hasPrefix("<svg"))
        for (name, output) in [("no/a.svg", DrawingOptions.Output.sheet), ("no/{n}.svg", .frames)] {
            let error = await #expect(throws: PipelineError.self) { try await run([gesture], options(name, output)) }
            #expect(error?.category == .environment)
        }
    }

    @Test("Drawing sinks: numbered pictures are refused if the folder already has some, unless they may be replaced")
    func framesIfExist() async throws {
        try folder.write("g-0007.svg", "mine")
        try folder.write("g-x.svg", "another's")
        let error = await #expect(throws: PipelineError.self) {
            try await run([gesture], options("g-{n}.svg", .frames))
        }
        #expect(error?.code == "file.exists")
        #expect(error?.message.hasSuffix("/g-0007.svg is already there") == true)
        #expect(!FileManager.default.fileExists(atPath: "\(folder.path)/g-0001.svg"))
        try await run([gesture], options("g-{n}.svg", .frames) { $0.ifExists = .overwrite })
        try await run([gesture], options("h-{n}.svg", .frames))
        #expect(try elements("g-0001.svg")["polyline"] == 2)
        #expect(try folder.read("g-0007.svg") == "mine")
    }

    @Test(
        "Drawing sinks: a path with another format or a misplaced number is a finding",
        arguments: [
            ("png: { path: a.png }", nil), ("png: { path: A.PNG }", nil), ("svg: { path: drawing }", nil),
            ("png: { path: a.jpg }", "end the name in .png"),
            ("png: { path: a.svg }", "use the sink svg, or end the name in .png"),
            ("svg: { path: a.b.png }", "use the sink png, or end the name in .svg"),
            ("svg: { path: \"a-{n}/b.svg\", output: frames }", "put {n} into the file's name"),
        ] as [(String, String?)])
    func paths(sink: String, help: String?) {
        let text = "version: 1\nname: paths\nsources:\n  - stdin\nsinks:\n  - \(sink)\n"
        let found = PipelineLoader(registry: .standard).load(text: text).diagnostics
        #expect(found.map(\.help) == (help.map { [$0] } ?? []))
        #expect(found.allSatisfy { $0.code == "option.conflict" })
    }

    @Test("Drawing sinks: with nothing to draw, nothing is written and an existing file stays")
    func mustShow() async throws {
        try folder.write("a.svg", "mine")
        let change = { (options: inout DrawingOptions) in
            options.mustShow = true
            options.ifExists = .overwrite
        }
        let error = await #expect(throws: PipelineError.self) {
            try await run([Stroke](), options("a.svg", .sheet, change))
        }
        #expect(error?.code == "draw.nothing")
        #expect(try folder.read("a.svg") == "mine")
        try await run([gesture], options("a.svg", .sheet, change))
        #expect(try folder.read("a.svg").hasPrefix("<svg"))
    }

    @Test(
        "Drawing sinks: a drawing shows the hands of the last frame with their names; a sheet shows those of all frames"
    )
    func present() async throws {
        func hand(_ name: String, at x: Double) -> Landmarks {
            let points = (0..<21).map { Landmarks.Point(x: x + Double($0 % 5) / 50, y: Double($0 / 5) / 50) }
            return Landmarks(space: "normalized", points: points, handedness: name)
        }
        let frames = (0..<5).map { Hands(hands: [hand("Left", at: 0.1 * Double($0)), hand("Right", at: 0.9)]) }
        try await run(frames, options("a.svg", .drawing))
        let counts = try elements("a.svg")
        #expect(counts["polyline"] == 2 * 21)
        #expect(counts["text"] == 2)
        let picture = try folder.read("a.svg")
        #expect(picture.contains(">Left</text>") && picture.contains(">Right</text>"))
        try await run(frames + [Hands(hands: [])], options("gone.svg", .drawing))
        #expect(try elements("gone.svg")["polyline"] == nil)
        try await run(frames, options("bare.svg", .drawing) { $0.labels = false })
        #expect(try elements("bare.svg")["text"] == nil)
        try await run(frames, options("all.svg", .sheet))
        #expect(try elements("all.svg")["polyline"] == 5 * 42)
    }

    @Test("Drawing sinks: a drawing shows the labels of strokes within the picture, and no names of streams")
    func names() async throws {
        var (named, unnamed) = (gesture, gesture)
        named.label = "a circle"
        unnamed.label = nil
        for size in [16, 100, 800] {
            try await run([named, unnamed], options("\(size).svg", .drawing) { $0.size = size })
            let picture = try folder.read("\(size).svg")
            #expect(try elements("\(size).svg")["text"] == 1)
            let height = try #require(picture.firstMatch(of: #/height="([0-9.]+)"/#).flatMap { Double($0.1) })
            let line = try #require(
                picture.firstMatch(of: #/<text x="[0-9.]+" y="([0-9.]+)"/#).flatMap { Double($0.1) })
            #expect(line < height, "\(size)")
        }
        #expect(try folder.read("800.svg").contains(">a circle</text>"))
    }

    @Test(
        "Drawing sinks: far from zero a figure stays in its cell, and looks as it does near zero",
        arguments: [1e9, -1e12, 1e15])
    func farFromZero(offset: Double) async throws {
        // Integers, which are exact in the output.
        let square = [(0.0, 0.0), (100, 0), (100, 60), (0, 60), (0, 0)]
        func stroke(at x: Double) -> Stroke { Stroke(samples: square.map { Sample(x: x + $0.0, y: x + $0.1) }) }
        try await run([stroke(at: 0)], options("near.svg", .sheet))
        try await run([stroke(at: offset)], options("far.svg", .sheet))
        #expect(try folder.read("near.svg") == folder.read("far.svg"))
    }

    @Test(
        "Drawing sinks: a name that is too long is shortened in the middle, and keeps more of its end than of its beginning"
    )
    func fitted() {
        let fit = { Picture.fitted($0, size: 10, width: 0.66 * 10 * 13) }
        #expect(fit("circle") == "circle")
        #expect(fit("exactly13char") == "exactly13char")
        #expect(fit("recordings/s02/fast/circle01") == "reco…circle01")
        #expect(Picture.fitted("long", size: 10, width: 1) == "…g")
    }

    @Test("Drawing sinks: a stroke that is not finite and a recognition without a subject are refused")
    func refused() async throws {
        for code in ["stroke.not_finite"] {
            let error = await #expect(throws: PipelineError.self) {
                try await run([Stroke(samples: [Sample(x: .nan, y: 0)])], options("a.svg", .sheet))
            }
            #expect(error?.code == code)
        }
        let error = await #expect(throws: PipelineError.self) {
            try await run(
                [Recognition(categories: [.none], margin: 0, matcher: "test")], options("b.svg", .sheet))
        }
        #expect(error?.code == "draw.no_subject")
        #expect(error?.help == "match: { subject: true }")
    }

    @Test("Drawing sinks: hands are drawn as skeletons: 21 joints with their rims, and MediaPipe's 21 connections")
    func hands() async throws {
        let points = (0..<21).map { Landmarks.Point(x: Double($0 % 5) / 5, y: Double($0 / 5) / 5) }
        let hand = Landmarks(space: "normalized", points: points, handedness: "Left")
        try await run([Hands(hands: [hand]), Hands(hands: [])], options("a.svg", .sheet))
        let counts = try elements("a.svg")
        #expect(counts["polyline"] == 21)
        #expect(counts["path"] == 42)
        #expect(try folder.read("a.svg").contains(">no hand</text>"))
    }

    @Test("Drawing sinks: labeled hands have their labels on the sheet, alone and together")
    func labeled() async throws {
        let points = (0..<21).map { Landmarks.Point(x: Double($0 % 5) / 5, y: Double($0 / 5) / 5) }
        let hand = Landmarks(space: "normalized", points: points, handedness: "Left", label: "ok")
        let other = Landmarks(space: "normalized", points: points, label: "call")
        try await run([hand, other], options("a.svg", .sheet))
        let picture = try folder.read("a.svg")
        #expect(picture.contains(">Left ok</text>") && picture.contains(">call</text>"))
        try await run([Hands(hands: [hand, other])], options("b.svg", .sheet))
        #expect(try folder.read("b.svg").contains(">Left ok, call</text>"))
    }

    @Test("Drawing sinks: results are drawn as hands with the names of their gestures")
    func results() async throws {
        let points = (0..<21).map { Landmarks.Point(x: Double($0 % 5) / 5, y: Double($0 / 5) / 5) }
        let hand = Landmarks(space: "normalized", points: points, handedness: "Left")
        let shown = HandResults.Hand(landmarks: hand, gestures: [.init(name: "Victory", index: 6, score: 0.9)])
        try await run(
            [HandResults(hands: [shown, .init(landmarks: hand)]), HandResults(hands: [])], options("r.svg", .sheet))
        #expect(try elements("r.svg")["polyline"] == 42)
        let picture = try folder.read("r.svg")
        #expect(picture.contains(">Left Victory, Left</text>") && picture.contains(">no hand</text>"))
    }

    @Test(
        "Drawing sinks: a PNG has two pixels per unit, ink where the pen was, and background elsewhere",
        arguments: Theme.allCases)
    func png(theme: Theme) async throws {
        let tap = Ink(points: [.init(x: 7, y: 7, width: 5)])
        try await run(
            [tap],
            options("a.png", .drawing) {
                $0.theme = theme; $0.size = 100
            }, .png)
        let surface = cairo_image_surface_create_from_png("\(folder.path)/a.png")
        defer { cairo_surface_destroy(surface) }
        #expect(cairo_surface_status(surface) == CAIRO_STATUS_SUCCESS)
        #expect(cairo_image_surface_get_width(surface) == 200)
        let data = try #require(cairo_image_surface_get_data(surface))
        let stride = Int(cairo_image_surface_get_stride(surface))
        func pixel(_ x: Int, _ y: Int) -> [UInt8] { (0..<3).map { data[y * stride + 4 * x + 2 - $0] } }
        #expect(pixel(2, 2) == (theme == .light ? [0xFF, 0xFF, 0xFF] : [0x1C, 0x21, 0x2B]))
        let middle = pixel(100, Int(cairo_image_surface_get_height(surface)) / 2)
        #expect(middle == (theme == .light ? [0x1B, 0x2A, 0x49] : [0xE6, 0xEB, 0xF5]))
    }

    @Test("Drawing sinks: the same frames give the same bytes")
    func deterministic() async throws {
        for (a, b, format) in [("a.svg", "b.svg", PictureFormat.svg), ("a.png", "b.png", .png)] {
            try await run([gesture], options(a, .sheet), format)
            try await run([gesture], options(b, .sheet), format)
            let read = { (name: String) in try Data(contentsOf: URL(fileURLWithPath: "\(folder.path)/\(name)")) }
            #expect(try read(a) == read(b))
        }
    }
}
