import Foundation
import Testing

@testable import Pipeline
@testable import PipelineComponents
@testable import PipelineConfiguration

@Suite("The JSON Schema of configurations")
struct JSONSchemaTests {
    private func schema() throws -> [String: Any] {
        let text = JSONSchema(.small).document.text()
        return try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    }

    private func references(in value: Any) -> [String] {
        if let object = value as? [String: Any] {
            return object.flatMap { key, value in
                key == "$ref" ? [value as? String ?? ""] : references(in: value)
            }
        }
        return (value as? [Any])?.flatMap { references(in: $0) } ?? []
    }

    @Test("JSON Schema: every reference leads to a definition, and every component is referenced")
    func references() throws {
        let schema = try schema()
        let definitions = try #require(schema["$defs"] as? [String: Any])
        let used = Set(references(in: schema))
        for reference in used { #expect(definitions[String(reference.dropFirst("#/$defs/".count))] != nil) }
        for entry in Registry.small.entries {
            #expect(used.contains("#/$defs/\(entry.role.rawValue).\(entry.manifest.name)"))
        }
    }

    @Test("JSON Schema: the schema requires exactly the keys whose absence is an error")
    func required() throws {
        let whole = [
            "version": "version: 1", "name": "name: p", "sources": "sources: [count]", "sinks": "sinks: [print]",
        ]
        let required = try #require(try schema()["required"] as? [String])
        #expect(!required.isEmpty)
        for key in whole.keys.sorted() {
            let text = whole.sorted { $0.key < $1.key }.filter { $0.key != key }.map(\.value).joined(separator: "\n")
            let loaded = PipelineLoader(registry: .small).load(text: text)
            #expect((loaded.plan == nil) == required.contains(key), "\(key): \(loaded.diagnostics.map(\.message))")
        }
    }

    @Test("JSON Schema: an option has its description, range, default and whether it is required")
    func options() throws {
        let definitions = try #require(try schema()["$defs"] as? [String: [String: Any]])
        let scale = try #require(definitions["stage.scale"]?["properties"] as? [String: [String: Any]])
        #expect(scale["factor"]?["description"] as? String == "What to multiply by.")
        #expect(scale["factor"]?["default"] as? Double == 2)
        let shapes = try #require(scale["factor"]?["anyOf"] as? [[String: Any]])
        #expect(shapes[0]["type"] as? String == "number")
        #expect(shapes[0]["maximum"] as? Double == 100)
        #expect(Set(scale.keys) == ["factor", "offsets", "limits", "id", "from", "on_error", "workers"])
        let count = try #require(definitions["source.count"]?["properties"] as? [String: Any])
        #expect(Set(count.keys) == ["limit", "space", "id", "on_error", "on_disorder", "max_jump_s"])
        #expect(definitions["stage.lookup"]?["required"] as? [String] == ["library"])
        #expect(definitions["stage.lookup"]?["type"] as? String == "object")
        #expect(definitions["stage.scale"]?["type"] as? [String] == ["object", "null"])
    }

    @Test("JSON Schema: a component may be written as a bare name unless it needs options")
    func bareNames() throws {
        let properties = try #require(try schema()["properties"] as? [String: [String: Any]])
        let items = try #require(properties["stages"]?["items"] as? [String: String])
        #expect(items == ["$ref": "#/$defs/stage"])
        let stage = try #require((try schema()["$defs"] as? [String: [String: Any]])?["stage"])
        let names = (stage["anyOf"] as? [[String: Any]])?.first?["enum"] as? [String]
        #expect(names == ["scale", "spell", "measure", "tap"])
        #expect(properties["live"] != nil)
    }

    @Test("JSON Schema: tests are described with all their keys, and their input in two forms")
    func tests() throws {
        let properties = try #require(try schema()["properties"] as? [String: [String: Any]])
        let test = try #require(properties["tests"]?["items"] as? [String: Any])
        let keys = try #require(test["properties"] as? [String: [String: Any]])
        #expect(Set(keys.keys) == Set(TestOptions.options.map(\.name)))
        #expect(test["required"] as? [String] == ["name"])
        #expect(test["additionalProperties"] as? Bool == false)
        let frames = try #require(keys["in"]?["additionalProperties"] as? [String: Any])
        #expect((frames["anyOf"] as? [Any])?.count == 2)
    }

    /// Returns whether a schema accepts null.
    private func acceptsNull(_ value: Any?, _ definitions: [String: Any]) -> Bool {
        guard let schema = value as? [String: Any] else { return false }
        if let reference = schema["$ref"] as? String {
            return acceptsNull(definitions[String(reference.dropFirst("#/$defs/".count))], definitions)
        }
        if let shapes = schema["anyOf"] as? [Any] { return shapes.contains { acceptsNull($0, definitions) } }
        if let types = schema["type"] as? [String] { return types.contains("null") }
        return schema["type"] as? String == "null" || ["type", "const", "enum"].allSatisfy { schema[$0] == nil }
    }

    @Test("JSON Schema: a key may be left empty exactly if a configuration with the empty key is valid")
    func emptyKeys() throws {
        let schema = try schema()
        let definitions = try #require(schema["$defs"] as? [String: Any])
        let properties = try #require(schema["properties"] as? [String: Any])
        for key in properties.keys.sorted() {
            let rest = ["version: 1", "sources: [count]", "sinks: [print]"].filter { !$0.hasPrefix("\(key):") }
            let loaded = PipelineLoader(registry: .small).load(text: "\(key):\n" + rest.joined(separator: "\n"))
            #expect(acceptsNull(properties[key], definitions) == (loaded.plan != nil), "\(key)")
        }
        let scale = try #require(definitions["stage.scale"] as? [String: Any])
        let options = try #require(scale["properties"] as? [String: Any])
        for key in options.keys.sorted() {
            let text = "version: 1\nsources: [count]\nstages: [scale: { \(key): ~ }]\nsinks: [print]"
            let loaded = PipelineLoader(registry: .small).load(text: text)
            #expect(acceptsNull(options[key], definitions) == (loaded.plan != nil), "\(key)")
        }
    }

    @Test("JSON Schema: an id in `from` may be a number, and a letter of a legend may be left empty")
    func numbersAndLetters() throws {
        let text = """
            version: 1
            sources: [count: { id: 12 }]
            sinks: [print: { from: 12 }]
            tests: [{ name: empty, legend: { a: ~ }, out: { print: "a" } }]
            """
        #expect(PipelineLoader(registry: .small).load(text: text).diagnostics.map(\.message) == [])
        let schema = try schema()
        let definitions = try #require(schema["$defs"] as? [String: [String: Any]])
        let shapes = try #require(definitions["from"]?["anyOf"] as? [[String: Any]])
        #expect((shapes[0]["type"] as? [String])?.contains("number") == true)
        let properties = try #require(schema["properties"] as? [String: [String: Any]])
        let test = try #require(properties["tests"]?["items"] as? [String: Any])
        let legend = try #require((test["properties"] as? [String: [String: Any]])?["legend"])
        #expect(acceptsNull(legend["additionalProperties"], [:]))
    }

    @Test("JSON Schema: a registry without components still has a schema")
    func empty() throws {
        let text = JSONSchema(Registry()).document.text(isIndented: false)
        #expect(text.contains("\"items\":false"))
    }
}
