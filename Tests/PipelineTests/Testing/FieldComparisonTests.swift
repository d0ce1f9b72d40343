import Testing

@testable import Pipeline
@testable import PipelineComponents
@testable import PipelineConfiguration

@Suite("Expected frames of a test in YAML")
struct FieldComparisonTests {
    private func difference(_ expected: String, _ actual: String) throws -> String? {
        let wanted = try #require(ConfigNode.parse(yaml: expected))
        let found = try #require(ConfigNode.parse(yaml: actual))
        return FieldComparison(tolerance: 0.01).difference(wanted, found)
    }

    @Test(
        "An expected frame matches when every field that it names matches",
        arguments: [
            ("{}", #"{"a":1}"#), (#"{"a":1}"#, #"{"a":1,"b":2}"#), (#"{"a":1}"#, #"{"a":1.0}"#),
            (#"{"a":1.005}"#, #"{"a":1}"#), (#"{"a":[1,{"b":"x"}]}"#, #"{"a":[1,{"b":"x","c":3}]}"#),
            (#"{"a":null}"#, #"{"b":1}"#), (#"{"a":"1"}"#, #"{"a":"1"}"#), (#"{"a":true}"#, #"{"a":true}"#),
            ("{a: True, b: FALSE}", #"{"a":true,"b":false}"#), ("{a: x}", #"{"a":"x"}"#),
            ("{a: 0x10}", #"{"a":16}"#), ("{a: ~}", #"{"a":null}"#),
        ])
    func equal(expected: String, actual: String) throws {
        #expect(try difference(expected, actual) == nil)
    }

    @Test(
        "The difference between an expected and an actual frame names the field that differs",
        arguments: [
            (#"{"a":1}"#, #"{"b":1}"#, "a is not there, and 1 is expected"),
            (#"{"a":1.02}"#, #"{"a":1}"#, "a is 1, and 1.02 is expected"),
            (#"{"a":"1.001"}"#, #"{"a":1}"#, #"a is 1, and "1.001" is expected"#),
            (#"{"a":[1,2]}"#, #"{"a":[1]}"#, "a has 1 elements, and 2 are expected"),
            (#"{"a":{"b":[1,{"c":3}]}}"#, #"{"a":{"b":[1,{"c":4}]}}"#, "a.b[1].c is 4, and 3 is expected"),
            (#"{"a":null}"#, #"{"a":0}"#, "a is there, and should not be"),
            (#"{"a":"1"}"#, #"{"a":1}"#, #"a is 1, and "1" is expected"#),
            (#"{"a":1}"#, #"{"a":"1"}"#, #"a is "1", and 1 is expected"#),
            (#"{"a":"true"}"#, #"{"a":true}"#, #"a is true, and "true" is expected"#),
            (#"{"a":true}"#, #"{"a":"true"}"#, #"a is "true", and true is expected"#),
            (#"{"a":true}"#, #"{"a":1}"#, "a is 1, and true is expected"),
            (#"{"a":"null"}"#, #"{"a":null}"#, #"a is null, and "null" is expected"#),
            (#"{"a":{"b":1}}"#, #"{"a":[1]}"#, #"a is [1], and {"b":1} is expected"#),
        ])
    func different(expected: String, actual: String, words: String) throws {
        #expect(try difference(expected, actual) == words)
    }

    @Test("The frames of a test reach the reader of messages with the types of YAML 1.2")
    func types() throws {
        let fields = try #require(
            ConfigNode.parse(yaml: "{ a: [true, True, TRUE, false, False, FALSE], b: [tRUE, 'True'], c: [0x10, 1e6] }"))
        let expected = #"{"a":[true,true,true,false,false,false],"b":["tRUE","True"],"c":[16,1000000]}"#
        #expect(fields.json == expected)
    }
}
