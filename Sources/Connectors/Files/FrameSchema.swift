import MCAP
import Pipeline

/// What MCAP files say of our messages: a JSON Schema for each kind.
enum FrameSchema {
    private static let prefix = "pipeline."

    /// The schema of frames of a kind that are written with these keys.
    static func schema(of kind: String, keys: WireKeys, id: UInt16) -> Schema {
        var text = """
            {"$schema":"https://json-schema.org/draft/2020-12/schema","title":"\(kind)","type":"object",\
            "required":["kind","stream","seq","t_us"],"properties":{
            """
        let all = WireKeys.envelope.union(keys)
        text += WireKey.allCases.filter(all.contains).map { key in
            key == .kind ? "\"kind\":{\"const\":\"\(kind)\"}" : "\"\(key.name)\":\(property(key))"
        }.joined(separator: ",")
        text += "}}"
        return Schema(id: id, name: prefix + kind, encoding: "jsonschema", data: Array(text.utf8))
    }

    /// The kind of frames that a schema is of; `nil` when it is not one of ours.
    static func kind(of schema: Schema) -> String? {
        schema.name.hasPrefix(prefix) ? String(schema.name.dropFirst(prefix.count)) : nil
    }

    /// What may stand behind a key.
    private static func property(_ key: WireKey) -> String {
        switch key {
        case .v, .seq, .tUs, .recvUs, .line, .startUs, .endUs, .stroke, .track: "{\"type\":\"integer\"}"
        case .end, .quiet: "{\"type\":\"boolean\"}"
        case .kind, .stream, .clock, .file, .fields, .label, .phase, .topology, .space, .handedness, .matcher,
            .bits, .node, .code, .message, .location, .doubt:
            "{\"type\":\"string\"}"
        case .score, .handednessScore, .presence, .margin, .confidence: "{\"type\":\"number\"}"
        case .pts, .counts, .conf, .world, .values: "{\"type\":\"array\",\"items\":{\"type\":\"number\"}}"
        case .hands, .categories, .strips: "{\"type\":\"array\"}"
        case .subject: "{\"type\":[\"string\",\"object\"]}"
        case .mesh, .frame: "true"
        }
    }
}
