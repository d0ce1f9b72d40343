import MCAP
import Pipeline

/// The schemas by which Foxglove reads what a run sends it: those of recordings.
package enum FoxgloveSchema {
    /// A JSON Schema and its name.
    package typealias Named = (name: String, text: String)

    /// The schema of frames of a payload.
    package static func frames<P: WireEncodable>(of payload: P.Type) -> Named {
        named(FrameSchema.schema(of: payload, id: 1))
    }

    /// The schema of scenes.
    package static var scene: Named { named(SceneSchema.schema(id: 1)) }

    private static func named(_ schema: Schema) -> Named {
        (schema.name, String(decoding: schema.data, as: UTF8.self))
    }
}
