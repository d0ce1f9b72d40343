import MCAP
import Pipeline

/// The schemas of canonical messages in MCAP files: one JSON Schema for each kind of payload.
enum FrameSchema {
    private static let prefix = "pipeline."

    /// Returns the schema of the frames of a payload.
    static func schema<P: WireEncodable>(of payload: P.Type, id: UInt16) -> Schema {
        let kind = P.kind.rawValue
        var text = """
            {"$schema":"https://json-schema.org/draft/2020-12/schema","title":"\(kind)","type":"object",\
            "required":["kind","stream","seq","t_us"],"properties":{
            """
        text += (WireKey.fields(.envelope, required: []) + P.messageFields).map { field in
            field.name == "kind"
                ? "\"kind\":{\"const\":\"\(kind)\"}" : "\"\(field.name)\":\(field.type.jsonSchema)"
        }.joined(separator: ",")
        text += "}}"
        return Schema(id: id, name: prefix + kind, encoding: "jsonschema", data: Array(text.utf8))
    }

    /// Returns the kind of payload that a schema describes. Returns `nil` if the schema was not written by this project.
    static func kind(of schema: Schema) -> String? {
        schema.name.hasPrefix(prefix) ? String(schema.name.dropFirst(prefix.count)) : nil
    }
}
