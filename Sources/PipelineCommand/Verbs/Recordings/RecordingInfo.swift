import Connectors
import Pipeline
import PipelineComponents
import Stages

/// The contents of a recording, as `pipectl info` reports them.
struct RecordingInfo: Sendable {
    /// A stream of a recording.
    struct Stream: Sendable {
        var name: String
        /// The type of its messages: a kind of frames or the name of a schema.
        var kind: String
        var encoding: String
        var messages: Int64
    }

    let path: String
    var format: String
    /// The size in bytes.
    var size: Int64
    var streams: [Stream] = []
    /// The earliest and the latest time of a message, in nanoseconds.
    var times: ClosedRange<Int64>?
    /// Further facts, in order. Several can have the same name.
    var notes: [(name: String, value: String)] = []
    /// What is wrong with the recording, if anything.
    var problem: String?
    /// The YAML of a pipeline that can read the file, if its messages have another shape.
    var suggestion: String?

    private var seconds: Double { times.map { (Double($0.upperBound) - Double($0.lowerBound)) / 1e9 } ?? 0 }
    private var messages: Int64 { streams.reduce(Int64(0)) { $0.addingSaturated($1.messages) } }

    /// Whether the file is damaged and none of its messages can be read.
    var isUnreadable: Bool { problem != nil && messages == 0 }

    /// Returns the contents as text.
    func text(_ style: Style) -> String {
        var text = style.strong(path.shown) + "\n"
        func line(_ name: String, _ value: String) {
            text += "  \(name)" + String(repeating: " ", count: max(1, 13 - name.count)) + value.shown + "\n"
        }
        line("format", "\(format), \(ProgressBar.grouped(size)) bytes")
        line("messages", ProgressBar.grouped(messages))
        if let times {
            line("start", Self.time(times.lowerBound))
            line("end", Self.time(times.upperBound))
            line("duration", ProgressBar.duration(seconds))
        }
        for note in notes { line(note.name, note.value) }
        if let problem { line("problem", problem) }
        if let suggestion {
            text += "  a pipeline that reads it:\n" + suggestion.split(separator: "\n").map { "    \($0)\n" }.joined()
        }
        guard !streams.isEmpty else { return text }
        var table = Table([
            ("stream", .left), ("kind", .left), ("encoding", .left), ("messages", .right), ("per s", .right),
        ])
        for stream in streams {
            table.add([
                stream.name, stream.kind, stream.encoding, ProgressBar.grouped(stream.messages), rate(of: stream),
            ])
        }
        return text + table.text(style, indent: 2)
    }

    /// Returns a time in nanoseconds as date and time (UTC) if it lies after 2000, otherwise as seconds: `0.400000 s`.
    private static func time(_ nanoseconds: Int64) -> String {
        let isDate = nanoseconds >= 946_684_800_000_000_000
        return isDate
            ? TimeOfDay(nanoseconds: nanoseconds).text : Timestamp(rawValue: nanoseconds / 1000).description
    }

    private func rate(of stream: Stream) -> String {
        guard seconds > 0, stream.messages > 1 else { return "" }
        let tenths = Int64(saturating: Double(stream.messages - 1) / seconds * 10)
        return "\(ProgressBar.grouped(tenths / 10)).\(tenths % 10)"
    }

    /// The contents as JSON.
    var json: JSONValue {
        .object([
            ("path", .string(path)), ("format", .string(format)), ("bytes", .integer(Int(size))),
            ("messages", .integer(Int(messages))),
            ("start_ns", times.map { .integer(Int($0.lowerBound)) } ?? .null),
            ("end_ns", times.map { .integer(Int($0.upperBound)) } ?? .null),
            (
                "notes",
                .array(notes.map { .object([("name", .string($0.name)), ("value", .string($0.value))]) })
            ), ("problem", .optional(problem)), ("suggestion", .optional(suggestion)),
            (
                "streams",
                .array(
                    streams.map { stream in
                        .object([
                            ("name", .string(stream.name)), ("kind", .string(stream.kind)),
                            ("encoding", .string(stream.encoding)), ("messages", .integer(Int(stream.messages))),
                        ])
                    })
            ),
        ])
    }
}
