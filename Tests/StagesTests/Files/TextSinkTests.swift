import Foundation
import Pipeline
import PipelineComponents
import PipelineTesting
import Testing

@testable import Connectors
@testable import Stages

@Suite("Sinks that write text")
struct TextSinkTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private var context: SinkContext {
        SinkContext(id: "sink", clock: SkippingClock(), cancel: StopSignal(), log: .silent)
    }

    private func run<S: Sink>(_ sink: S, _ frames: [Frame<S.Input>]) async throws {
        var sink = sink
        try await sink.open(context)
        for frame in frames { try sink.write(frame) }
        try await sink.close()
    }

    private func writer<P: WireEncodable>(
        _ type: P.Type, _ name: String, _ change: (inout FileSink.Options) -> Void = { _ in }
    ) -> FileWriter<P> {
        var options = FileSink.Options()
        options.path = OutputPath("\(folder.path)/\(name)")
        change(&options)
        return FileWriter<P>(options)
    }

    @Test("Text sinks: a frame without rows counts as written, also if it comes after everything else was written")
    func noRows() async throws {
        var sink = writer(Hands.self, "hands.csv") { $0.format = .csv }
        try await sink.open(context)
        for time in 0..<3 {
            try sink.write(Frame(Hands(hands: []), at: .milliseconds(Int64(time))))
            #expect(sink.unwritten == 1)
            try sink.flush()
            #expect(sink.unwritten == 0)
        }
        try await sink.close()
    }

    private static func strokes(_ count: Int) -> [Frame<Stroke>] {
        (0..<count).map { i in
            Frame(
                Stroke(
                    samples: [Sample(x: Double(i), y: 0.5, t: 3)], start: .microseconds(Int64(i) * 10), fields: .time),
                at: .microseconds(Int64(i) * 10 + 3), stream: "pen", sequence: Int64(i))
        }
    }

    @Test("Text sinks: every text format writes one line per frame without terminal codes, whatever names contain")
    func lines() throws {
        let evil = "a\nb\u{1B}[2J\u{7}\u{9B}31m\u{202E}c\u{2028}d\u{2029}\r\t\u{7F}\"e,\\f\u{FEFF} père 图 👩🏽‍🚀"
        let stroke = Stroke(samples: [Sample(x: 0, y: 0)], label: evil, subject: evil)
        let frame = Frame(
            stroke, at: .zero, stream: StreamID(evil), origin: Origin(clock: evil, file: evil))
        for format in [TextFormat.pretty, .jsonl, .csv] {
            var text = FrameText<Stroke>(format)
            try text.add(frame)
            let lines = text.buffer.text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
            #expect(lines.count == (format == .csv ? 3 : 2) && lines.last == "")
            #expect(lines.allSatisfy { $0.shown == $0 }, "\(lines)")
        }
        // JSON writes the same names with its own escapes.
        var text = FrameText<Stroke>(.jsonl)
        try text.add(frame)
        let object = try #require(
            try JSONSerialization.jsonObject(with: Data(text.buffer.text.utf8)) as? [String: Any])
        for key in ["stream", "label", "subject", "clock", "file"] {
            #expect(Array((object[key] as? String ?? "").unicodeScalars) == Array(evil.unicodeScalars), "\(key)")
        }
    }

    @Test(
        "Text sinks: pretty text stays on its line, whatever names contain",
        arguments: [
            ("a\nb", "a\\nb"), ("\u{1B}[2J\u{7}", "\\u{1b}[2J\\u{7}"), ("\u{9B}31m", "\\u{9b}31m"),
            ("a\u{202E}b\u{2028}", "a\\u{202e}b\\u{2028}"), ("tab\t\r", "tab\\t\\r"), ("père 图", "père 图"),
        ])
    func escapes(name: String, shown: String) throws {
        var recognition = Recognition(
            categories: [.init(name: name, displayName: name, index: 0, score: 1)], margin: 0, matcher: "test")
        recognition.label = name + "!"
        var stroke = Stroke(samples: [Sample(x: 0, y: 0)])
        stroke.label = name
        func line<P: WireEncodable>(_ payload: P) throws -> String {
            var text = FrameText<P>(.pretty)
            try text.add(Frame(payload, at: .zero, stream: StreamID(name)))
            return text.buffer.text
        }
        for line in [
            try line(recognition), try line(stroke),
            try line(
                Hands(hands: [
                    Landmarks(topology: name, points: [], handedness: name)
                ])),
        ] {
            #expect(line.hasSuffix("\n"))
            #expect(line.dropLast().unicodeScalars.allSatisfy { $0.value >= 0x20 && !(0x7F..<0xA0).contains($0.value) })
            #expect(line.components(separatedBy: shown).count >= 3, "\(line)")
        }
    }

    @Test("Text sinks: what the file sink writes, the file source reads")
    func roundTrip() async throws {
        let frames = Self.strokes(5000)
        try await run(writer(Stroke.self, "a.jsonl"), frames)
        let reading = try await readStrokes("\(folder.path)/a.jsonl")
        #expect(reading.frames == frames)
        #expect(reading.failures.isEmpty)
    }

    @Test("Text sinks: an existing file is kept, overwritten or appended to, as configured")
    func ifExists() async throws {
        let frames = Self.strokes(2)
        try folder.write("a.jsonl", "cut off")
        let error = await #expect(throws: PipelineError.self) { try await run(writer(Stroke.self, "a.jsonl"), frames) }
        #expect(error?.code == "file.exists")
        #expect(error?.category == .environment)
        #expect(try folder.read("a.jsonl") == "cut off")
        try await run(writer(Stroke.self, "a.jsonl") { $0.ifExists = .append }, frames)
        let lines = try folder.read("a.jsonl").split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.count == 4)
        #expect(lines.first == "cut off")
        #expect(lines.last == "")
        try await run(writer(Stroke.self, "a.jsonl") { $0.ifExists = .overwrite }, frames)
        #expect(try folder.read("a.jsonl").split(separator: "\n").count == 2)
    }

    @Test("Text sinks: a missing folder is an environment error when the sink is opened")
    func noFolder() async throws {
        var sink = writer(Stroke.self, "nowhere/a.jsonl")
        let error = await #expect(throws: PipelineError.self) { try await sink.open(context) }
        #expect(error?.code == "file.unwritable")
        #expect(error?.category == .environment)
    }

    @Test("Text sinks: a table has one header, also when it is appended to, and an equal frame stays apart")
    func csv() async throws {
        let stroke = Stroke(
            samples: [Sample(x: 1, y: 2.5, t: 0), Sample(x: 3, y: 4, t: 10)], counts: [1, 1], start: .microseconds(5),
            fields: .time, label: "a \"quoted\", label")
        let frame = Frame(stroke, at: .microseconds(15), stream: "pen,1", sequence: 3)
        for _ in 0..<2 {
            try await run(
                writer(Stroke.self, "a.csv") {
                    $0.format = .csv
                    $0.ifExists = .append
                }, [frame])
        }
        let rows = """
            "pen,1",3,15,0,1,2.5,5,,"a ""quoted"", label",
            "pen,1",3,15,1,3,4,15,,"a ""quoted"", label",

            """
        let header = "stream,seq,t_us,stroke,x,y,sample_us,p,label,subject\n"
        #expect(try folder.read("a.csv") == header + rows + "\n" + rows)
        #expect(try await readStrokes("\(folder.path)/a.csv").frames == [frame, frame])
    }

    @Test("Text sinks: blanks around the names in a table are read back, also in a row of blanks only")
    func blanks() async throws {
        let names = [(" pen", "a ", " b "), ("pen ", " ", "  "), ("a b", "c", "d \"e\""), (" ,", " père", "\", ")]
        let frames = names.enumerated().map { index, name in
            let stroke = Stroke(
                samples: [Sample(x: 1, y: 2.5)], start: .microseconds(5), fields: .time, label: name.1, subject: name.2)
            return Frame(stroke, at: .microseconds(5), stream: StreamID(name.0), sequence: Int64(index))
        }
        try await run(writer(Stroke.self, "a.csv"), frames)
        let first = try folder.read("a.csv").split(separator: "\n").dropFirst().first
        // RFC 4180, 2.4: spaces are considered part of a field, but most readers remove them outside quotes.
        #expect(first == "\" pen\",0,5,0,1,2.5,5,,\"a \",\" b \"")
        let reading = try await readStrokes("\(folder.path)/a.csv")
        #expect(reading.failures.isEmpty)
        #expect(reading.frames == frames)
    }

    @Test("Text sinks: pretty text shows whether a recognition matches the label")
    func pretty() async throws {
        var text = FrameText<Recognition>(.pretty)
        for (label, score) in [("circle", 0.98765), ("star", 0.5), (nil, 1.0)] as [(String?, Double)] {
            try text.add(
                Frame(
                    Recognition(
                        categories: [.init(name: "circle", index: 0, score: score)], margin: 0, matcher: "m",
                        label: label), at: .microseconds(12_345_678), stream: "pen/1"))
        }
        #expect(
            text.buffer.text == """
                    12.346 s  pen/1         circle                   0.988  ✓
                    12.346 s  pen/1         circle                   0.500  ✗ was star
                    12.346 s  pen/1         circle                   1.000

                """)
        for (matcher, label, end) in [
            ("test", "wave", "– like nothing in the library (wave)"), ("canned", "wave", "– not recognized (wave)"),
            ("canned", "none", "✓"), ("test", "None", "✓"),
        ] {
            text = FrameText(.pretty)
            try text.add(
                Frame(
                    Recognition(categories: [.none], margin: 0, matcher: matcher, label: label),
                    at: .microseconds(12_345_678), stream: "pen/1"))
            #expect(text.buffer.text == "    12.346 s  pen/1         None                     0.000  \(end)\n")
        }
    }

    @Test("Text sinks: a reader that closes the pipe gives ReaderGone, which is not an error of the pipeline")
    func readerGone() async throws {
        // pipectl ignores this signal; a test must ignore it itself.
        signal(SIGPIPE, SIG_IGN)
        var ends: [Int32] = [-1, -1]
        try #require(pipe(&ends) == 0)
        close(ends[0])
        var sink = DescriptorSink<Stroke>(.jsonl, descriptor: ends[1])
        try sink.write(Self.strokes(1)[0])
        #expect(throws: ReaderGone.self) { try sink.flush() }
        close(ends[1])
    }

    @Test("Text sinks: every payload is written in every format")
    func everyPayload() throws {
        var generator = PayloadGenerator(seed: 11)
        func check<P: WireEncodable>(_ payload: P) throws {
            for format in TextFormat.allCases {
                var text = FrameText<P>(format)
                try text.add(generator.frame(payload))
                #expect(text.buffer.count > 0)
            }
        }
        for _ in 0..<20 {
            try check(generator.stroke())
            try check(generator.points())
            try check(generator.landmarks())
            try check(generator.hands())
            try check(generator.vector())
            try check(generator.bitmap())
            try check(generator.recognition())
            try check(generator.ink())
        }
    }
}
