import Pipeline
import PipelineTesting
import Stages
import Testing

@testable import Stages

@Suite("Payloads of one's own")
struct MessagePayloadTests {
    private static let registry: Registry = {
        var registry = Registry.standard
        registry.add(payload: Length.self)
        return registry
    }()

    private static let hook =
        #"{"v":1,"kind":"length","stream":"pen","seq":3,"t_us":5000,"value":12.5,"turns":2,"closed":true,"steps":[5,7.5],"label":"hook\n","mood":"good"}"#

    @Test("a message says every field, and is written again as it came, with the keys that nobody knows")
    func messages() throws {
        let frame = try #require(try decode(Length.self, Self.hook).frame)
        #expect(
            frame.payload == Length(12.5, turns: 2, isClosed: true, steps: [5, 7.5], label: "hook\n"))
        #expect([frame.stream.name, "\(frame.sequence)", "\(frame.timestamp.rawValue)"] == ["pen", "3", "5000"])
        #expect(try encode(frame) == Self.hook)
    }

    @Test("fields that may be missing are, and null is the same; any other is an error that names it")
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

    @Test("a number that is not finite is refused when it is written")
    func notFinite() {
        let error = #expect(throws: PipelineError.self) { try encode(Frame(Length(.nan), at: .zero)) }
        #expect(error?.code == "encode.not_finite")
    }

    @Test("in a configuration it is named like any other kind, and a wrong name is told what may have been meant")
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
}
