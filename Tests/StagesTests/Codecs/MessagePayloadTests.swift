import Pipeline
import PipelineTesting
import Stages
import Testing

@testable import Connectors
@testable import PipelineComponents
@testable import PipelineConfiguration
@testable import Stages

@Suite("Custom payloads")
struct MessagePayloadTests {
    private static let registry: Registry = {
        var registry = Registry.standard
        registry.add(payload: Length.self)
        return registry
    }()

    private static let hook =
        #"{"v":1,"kind":"length","stream":"pen","seq":3,"t_us":5000,"value":12.5,"turns":2,"closed":true,"steps":[5,7.5],"label":"hook\n","mood":"good"}"#

    @Test("Custom payloads: a message is written exactly as it was read, with its unknown keys")
    func messages() throws {
        let frame = try #require(try decode(Length.self, Self.hook).frame)
        #expect(
            frame.payload == Length(12.5, turns: 2, isClosed: true, steps: [5, 7.5], label: "hook\n"))
        #expect([frame.stream.name, "\(frame.sequence)", "\(frame.timestamp.rawValue)"] == ["pen", "3", "5000"])
        #expect(try encode(frame) == Self.hook)
    }

    @Test(
        "Custom payloads: optional fields may be missing or null; any other missing or wrong field is named in an error"
    )
    func missing() throws {
        let short = #"{"kind":"length","t_us":1,"value":1,"turns":0,"closed":false,"steps":[],"label":null}"#
        #expect(try decode(Length.self, short).frame?.payload == Length(1))
        let missing = #expect(throws: PipelineError.self) {
            try decode(Length.self, #"{"kind":"length","t_us":1,"value":1}"#)
        }
        #expect(missing?.message == "the key \"turns\" is missing")
        let wrong = #expect(throws: PipelineError.self) {
            try decode(Length.self, #"{"kind":"length","t_us":1,"value":"long"}"#)
        }
        #expect(wrong?.message == "\"value\": expected a number, found a string")
        #expect(wrong?.location == "byte 34")
    }

    private struct Remark: MessagePayload {
        static let kind: Kind = "remark"
        static let summary = "A remark"
        static let fields = [PayloadField("text", \Remark.text, "What was said.")]

        var text: String?
    }

    @Test("Custom payloads: the error of a message without any field names the fields, even if none is required")
    func nothing() {
        let error = #expect(throws: PipelineError.self) {
            try decoded(Remark.self, #"{"time":1}"#) { ($0.t, $0.tUnit) = ([try FieldPath("time")], .s) }
        }
        #expect(error?.message == "the message has no \"text\"")
    }

    @Test("Custom payloads: a number that is not finite is refused when it is written")
    func notFinite() {
        let error = #expect(throws: PipelineError.self) { try encode(Frame(Length(.nan), at: .zero)) }
        #expect(error?.code == "encode.not_finite")
    }

    @Test("Custom payloads: a configuration may name their kind, and a misspelled kind gets a suggestion")
    func kinds() throws {
        func text(_ kind: String) -> String {
            "version: 1\nsources:\n  - stdin: { kind: \(kind) }\nsinks:\n  - stdout\n"
        }
        let plan = try Plan(text: text("length"), registry: Self.registry)
        #expect(plan.nodes[0].output?.kind == "length")
        let error = #expect(throws: ConfigurationError.self) {
            try Plan(text: text("lenght"), registry: Self.registry)
        }
        #expect(error?.description.contains("did you mean \"length\"?") == true)
        #expect(throws: ConfigurationError.self) { try Plan(text: text("length")) }
    }

    /// Runs a pipeline from one file to another.
    private func run(_ source: String, _ sink: String) async throws {
        let plan = try Plan(
            text: "version: 1\nsources:\n  - file: { \(source) }\nsinks:\n  - file: { \(sink) }\n",
            registry: Self.registry)
        let report = await Run(plan).finished()
        #expect(report.isSuccess, "\(report.failures) \(report.ledger.nodes.map(\.failed))")
    }

    private static let lines = """
        {"v":1,"kind":"length","stream":"pen/1","seq":0,"t_us":1000,"value":12.5,"turns":2,"closed":true,"steps":[5,7.5],"label":"a, \\"b\\"","limit":20}
        {"v":1,"kind":"length","stream":"pen/2","seq":0,"t_us":1500,"value":0,"turns":-3,"closed":false,"steps":[]}
        {"v":1,"kind":"length","stream":"pen/1","seq":1,"t_us":2000,"value":1e-07,"turns":0,"closed":false,"steps":[1],"label":"é"}

        """

    @Test(
        "Custom payloads: frames survive files of every format byte for byte",
        arguments: ["jsonl", "msgpack", "csv", "mcap"])
    func files(format: String) async throws {
        let folder = try TemporaryFolder()
        _ = try folder.write("in.jsonl", Self.lines)
        try await run(
            "path: \"\(folder.path)/in.jsonl\", kind: length", "path: \"\(folder.path)/there.\(format)\"")
        try await run(
            "path: \"\(folder.path)/there.\(format)\", kind: length", "path: \"\(folder.path)/back.jsonl\"")
        let back = try folder.read("back.jsonl")
        #expect(back == Self.lines, "\(back)")
    }

    @Test("Custom payloads: frames are read from messages of another shape, and from tables with other columns")
    func mapped() async throws {
        let folder = try TemporaryFolder()
        _ = try folder.write(
            "in.jsonl", #"{"at":0.5,"result":{"len":3,"n":1,"ends":[true]},"steps":[1,2],"who":"ann","mood":1}"# + "\n")
        let keys = #"keys: { value: result.len, turns: result.n, closed: "result.ends[0]", label: [name, who] }"#
        try await run(
            "path: \"\(folder.path)/in.jsonl\", kind: length, decode: { \(keys), t: at, t_unit: s }",
            "path: \"\(folder.path)/out.jsonl\"")
        #expect(
            try folder.read("out.jsonl")
                == #"{"v":1,"kind":"length","stream":"file","seq":0,"t_us":500000,"value":3,"turns":1,"closed":true,"steps":[1,2],"label":"ann","mood":1}"#
                + "\n")
        _ = try folder.write("in.csv", "len,ms,turns,closed,steps\n3,250,1,false,1 2\n")
        try await run(
            "path: \"\(folder.path)/in.csv\", kind: length, decode: { keys: { value: len }, columns: { t: ms }, t_unit: ms }",
            "path: \"\(folder.path)/table.jsonl\"")
        #expect(
            try folder.read("table.jsonl")
                == #"{"v":1,"kind":"length","stream":"file","seq":0,"t_us":250000,"value":3,"turns":1,"closed":false,"steps":[1,2]}"#
                + "\n")
    }

    @Test("Custom payloads: a table without times keeps its sequence numbers")
    func numberedTable() async throws {
        let folder = try TemporaryFolder()
        _ = try folder.write("in.csv", "seq,value,turns,closed,steps\n7,1,1,true,1\n9,2,1,true,1\n")
        try await run("path: \"\(folder.path)/in.csv\", kind: length", "path: \"\(folder.path)/out.csv\"")
        let rows = try folder.read("out.csv").split(separator: "\n").dropFirst()
        #expect(rows.map { $0.split(separator: ",")[1] } == ["7", "9"])
    }

    @Test("Custom payloads: a row of a table that cannot be read takes its place in time, and fails in its stream")
    func unreadRows() async throws {
        func read(_ text: String, hz: Double?) async throws -> Reading<Length> {
            let folder = try TemporaryFolder()
            var options = FileSource.Options()
            options.path = FilePath(try folder.write("in.csv", text))
            options.decode.hz = hz
            return try await drain(FileReplay<Length>(options, defaultStream: "file"))
        }
        // Row 2 has a value that is not a number, and row 4 a misplaced quote before the cell of its stream.
        let rows = "1,1,true,1,a\nx,1,true,1,b\n3,1,true,1,a\n\"4\"4,1,true,1,a\n5,1,true,1,a\n"
        let reading = try await read("value,turns,closed,steps,stream\n\(rows)", hz: 10)
        #expect(reading.frames.map(\.payload.value) == [1, 3, 5])
        #expect(reading.frames.map(\.timestamp.rawValue) == [0, 200_000, 400_000])
        #expect(reading.frames.map(\.sequence) == [0, 1, 2])
        #expect(reading.losses == ["b after 1", " after 2"])
        let own = "0,1,1,true,1\nx,2,1,true,1\n2,3,1,true,1\n"
        let numbered = try await read("seq,value,turns,closed,steps\n\(own)", hz: nil)
        #expect(numbered.frames.map(\.timestamp.rawValue) == [0, 2_000_000])
        #expect(numbered.frames.map(\.sequence) == [0, 2])
        #expect(numbered.losses == ["file after 1"])
    }

    @Test(
        "Custom payloads: decode options that do not fit the payload are errors",
        arguments: [
            ("decode: { keys: { valu: x } }", "option.unknown"), ("decode: { points: x }", "option.conflict"),
            ("decode: { format: text }", "decode.kind"), ("decode: { preset: mediapipe }", "decode.preset"),
        ])
    func findings(decode: String, code: String) throws {
        let text = "version: 1\nsources:\n  - stdin: { kind: length, \(decode) }\nsinks:\n  - stdout\n"
        let error = #expect(throws: ConfigurationError.self) { try Plan(text: text, registry: Self.registry) }
        #expect(error?.description.contains(code) == true, "\(error?.description ?? "")")
        let own =
            "version: 1\nsources:\n  - stdin: { kind: stroke, decode: { points: p, keys: { a: b } } }\nsinks:\n  - stdout\n"
        #expect(throws: ConfigurationError.self) { try Plan(text: own) }
    }
}
