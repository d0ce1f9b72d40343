import MCAP
import Pipeline

/// The schemas with which Foxglove reads frames and scenes from a running pipeline. Recordings use the same schemas.
package enum FoxgloveSchema {
    /// The name and the text of a JSON Schema.
    package typealias Named = (name: String, text: String)

    /// Returns the schema of the frames of a payload.
    package static func frames<P: WireEncodable>(of payload: P.Type) -> Named {
        named(FrameSchema.schema(of: payload, id: 1))
    }

    /// The schema of scenes.
    package static var scene: Named { named(SceneSchema.schema(id: 1)) }

    private static func named(_ schema: Schema) -> Named {
        (schema.name, String(decoding: schema.data, as: UTF8.self))
    }
}
