import MCAP

/// The JSON Schema of `foxglove.SceneUpdate`, as published by Foxglove, without the descriptions.
///
/// Foxglove uses the schema's name to decide how to draw a channel, and the schema's text to decode the messages. The text must be
/// as complete as the published schema, including the parts that this framework never writes.
enum SceneSchema {
    /// The name by which Foxglove recognizes the schema.
    static let name = "foxglove.SceneUpdate"

    /// Returns the schema with the given number.
    static func schema(id: UInt16) -> Schema { Schema(id: id, name: name, encoding: "jsonschema", data: data) }

    /// Whether the messages of a schema are scenes, in any encoding. Such messages are not frames.
    static func isScene(_ schema: Schema?) -> Bool { schema?.name == name }

    private static let data = Array(update.json.utf8)

    /// The type of a value in the schema.
    private indirect enum Shape: Sendable {
        case number, count, flag, text, bytes
        /// Seconds and nanoseconds: a time since 1970, or a duration.
        case time, duration
        /// One of these names, encoded as its index.
        case choice(String, [String])
        case list(Shape)
        case object(String, [(name: String, shape: Shape)])

        var json: String {
            switch self {
            case .number: "{\"type\":\"number\"}"
            case .count: "{\"type\":\"integer\",\"minimum\":0}"
            case .flag: "{\"type\":\"boolean\"}"
            case .text: "{\"type\":\"string\"}"
            case .bytes: "{\"type\":\"string\",\"contentEncoding\":\"base64\"}"
            case .time: Self.clock("time", seconds: Shape.count.json)
            case .duration: Self.clock("duration", seconds: "{\"type\":\"integer\"}")
            case .choice(let title, let names):
                "{\"title\":\"foxglove.\(title)\",\"oneOf\":["
                    + names.enumerated().map { "{\"title\":\"\($1)\",\"const\":\($0)}" }.joined(separator: ",") + "]}"
            case .list(let element): "{\"type\":\"array\",\"items\":\(element.json)}"
            case .object(let title, let parts):
                "{\"title\":\"foxglove.\(title)\",\"type\":\"object\",\"properties\":{"
                    + parts.map { "\"\($0.name)\":\($0.shape.json)" }.joined(separator: ",") + "},\"required\":["
                    + parts.map { "\"\($0.name)\"" }.joined(separator: ",") + "]}"
            }
        }

        private static func clock(_ title: String, seconds: String) -> String {
            "{\"type\":\"object\",\"title\":\"\(title)\",\"properties\":{\"sec\":\(seconds),"
                + "\"nsec\":{\"type\":\"integer\",\"minimum\":0,\"maximum\":999999999}}}"
        }

        /// Returns the shape of an object of numbers with one-letter names.
        static func numbers(_ title: String, _ letters: String) -> Shape {
            .object(title, letters.map { (String($0), .number) })
        }
    }

    private static let vector = Shape.numbers("Vector3", "xyz")
    private static let points = Shape.list(.numbers("Point3", "xyz"))
    private static let color = Shape.numbers("Color", "rgba")
    private static let pose = Shape.object(
        "Pose", [("position", vector), ("orientation", .numbers("Quaternion", "xyzw"))])

    private static let arrow = Shape.object(
        "ArrowPrimitive",
        [
            ("pose", pose), ("shaft_length", .number), ("shaft_diameter", .number), ("head_length", .number),
            ("head_diameter", .number), ("color", color),
        ])
    private static let cube = Shape.object("CubePrimitive", [("pose", pose), ("size", vector), ("color", color)])
    private static let sphere = Shape.object("SpherePrimitive", [("pose", pose), ("size", vector), ("color", color)])
    private static let cylinder = Shape.object(
        "CylinderPrimitive",
        [("pose", pose), ("size", vector), ("bottom_scale", .number), ("top_scale", .number), ("color", color)])
    private static let line = Shape.object(
        "LinePrimitive",
        [
            ("type", .choice("LineType", ["LINE_STRIP", "LINE_LOOP", "LINE_LIST"])), ("pose", pose),
            ("thickness", .number), ("scale_invariant", .flag), ("points", points), ("color", color),
            ("colors", .list(color)), ("indices", .list(.count)),
        ])
    private static let triangles = Shape.object(
        "TriangleListPrimitive",
        [("pose", pose), ("points", points), ("color", color), ("colors", .list(color)), ("indices", .list(.count))])
    private static let words = Shape.object(
        "TextPrimitive",
        [
            ("pose", pose), ("billboard", .flag), ("font_size", .number), ("scale_invariant", .flag),
            ("color", color), ("text", .text),
        ])
    private static let model = Shape.object(
        "ModelPrimitive",
        [
            ("pose", pose), ("scale", vector), ("color", color), ("override_color", .flag), ("url", .text),
            ("media_type", .text), ("data", .bytes),
        ])

    private static let deletion = Shape.object(
        "SceneEntityDeletion",
        [("timestamp", .time), ("type", .choice("SceneEntityDeletionType", ["MATCHING_ID", "ALL"])), ("id", .text)])
    private static let entity = Shape.object(
        "SceneEntity",
        [
            ("timestamp", .time), ("frame_id", .text), ("id", .text), ("lifetime", .duration),
            ("frame_locked", .flag), ("metadata", .list(.object("KeyValuePair", [("key", .text), ("value", .text)]))),
            ("arrows", .list(arrow)), ("cubes", .list(cube)), ("spheres", .list(sphere)),
            ("cylinders", .list(cylinder)), ("lines", .list(line)), ("triangles", .list(triangles)),
            ("texts", .list(words)), ("models", .list(model)),
        ])
    private static let update = Shape.object(
        "SceneUpdate", [("deletions", .list(deletion)), ("entities", .list(entity))])
}
