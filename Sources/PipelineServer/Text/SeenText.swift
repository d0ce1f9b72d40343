import Connectors
import Pipeline
import PipelineComponents
import Stages

/// Writes the JSON message about an observed frame or drop.
struct SeenText {
    private var json = TextBuffer(capacity: 512)

    /// The message so far.
    var bytes: [UInt8] { json.bytes }

    init(_ op: StaticString, _ id: Int, _ time: Int64) {
        json.literal("{\"op\":\"")
        json.literal(op)
        json.literal("\",\"id\":")
        json.integer(Int64(id))
        json.literal(",\"at_ms\":")
        json.integer(time)
    }

    mutating func add(_ stream: StreamID, _ sequence: Int64, _ time: Timestamp) {
        add("stream", stream.name)
        add("seq", sequence)
        add("t_us", time.rawValue)
    }

    mutating func add(_ key: StaticString, _ text: String) {
        begin(key)
        json.quoted(text.cut)
    }

    mutating func add(_ key: StaticString, _ value: Int64) {
        begin(key)
        json.integer(value)
    }

    mutating func add(_ key: StaticString, _ value: Double) {
        begin(key)
        json.plain(JSONValue.number(value).text())
    }

    mutating func add(_ key: StaticString, _ value: Bool) {
        begin(key)
        json.plain(value ? "true" : "false")
    }

    mutating func add(_ frame: ShownFrame) {
        if let words = frame.words { add("shown", words) }
        begin("payload")
        guard let payload = frame.payload else { return json.literal("null") }
        payload.withUnsafeBytes { json.plain($0) }
    }

    private mutating func begin(_ key: StaticString) {
        json.literal(",\"")
        json.literal(key)
        json.literal("\":")
    }

    mutating func end() -> [UInt8] {
        json.byte(UInt8(ascii: "}"))
        return json.bytes
    }
}
