import Pipeline
import PipelineComponents

/// How a source reads what it receives.
public struct DecodeOptions: OptionGroup {
    /// How messages are written.
    public enum Format: String, OptionChoice {
        /// JSON, one value a message.
        case json
        /// MessagePack, one value a message.
        case msgpack
        /// Comma-separated values.
        case csv
        /// Numbers with blanks between them.
        case text
    }

    /// What a message without a timestamp is.
    public enum MissingTime: String, OptionChoice {
        /// An error.
        case error
        /// Stamped with the time of its receipt, and marked so.
        case receipt
    }

    /// What a row of a table holds.
    public enum Row: String, OptionChoice {
        /// One sample of a stroke.
        case sample
        /// A whole set of points: a stroke.
        case set
    }

    /// How a message over ZeroMQ is cut.
    public enum Frames: String, OptionChoice {
        /// A topic and a payload, or a payload alone.
        case auto
        /// A payload alone.
        case one
        /// A topic, which is the stream, and a payload.
        case topicAndPayload = "topic_and_payload"
    }

    /// What fills in what is not said here.
    public var preset = DecodePreset.canonical
    /// How messages are written; JSON where neither this nor the preset says it.
    public var format: Format?
    /// How a message over ZeroMQ is cut; `auto` where neither this nor the preset says it.
    public var frames: Frames?
    /// What stands between a topic and a payload in one frame or line.
    public var topicDelimiter: String?
    /// Where points are.
    public var points: FieldPaths = []
    /// Where the points of left hands are.
    public var left: FieldPaths = []
    /// Where the points of right hands are.
    public var right: FieldPaths = []
    /// What the numbers of one point are.
    public var fields: PointFields?
    /// Where places in metres are.
    public var world: FieldPaths = []
    /// Where the places in metres of left hands are.
    public var leftWorld: FieldPaths = []
    /// Where the places in metres of right hands are.
    public var rightWorld: FieldPaths = []
    /// Where the confidences of points are.
    public var confidences: FieldPaths = []
    /// Where it stands which hand it is.
    public var handedness: FieldPaths = []
    /// Where it stands how sure that is.
    public var handednessScore: FieldPaths = []
    /// Where the confidence of the detection is.
    public var score: FieldPaths = []
    /// Where it stands how sure it is that something is there.
    public var presence: FieldPaths = []
    /// Where the number of the tracked thing is.
    public var track: FieldPaths = []
    /// Where the time is.
    public var t: FieldPaths = []
    /// The unit of times; seconds in Swift where none is given. A configuration must give it.
    public var tUnit: TimeUnit?
    /// Where the number of the message is.
    public var seq: FieldPaths = []
    /// Where the stream is.
    public var stream: FieldPaths = []
    /// Where the label is.
    public var label: FieldPaths = []
    /// Where the subject is.
    public var subject: FieldPaths = []
    /// Where the phase of a piece of a stroke is.
    public var phase: FieldPaths = []
    /// Where the number of the stroke is.
    public var stroke: FieldPaths = []
    /// Where the numbers of a vector are.
    public var values: FieldPaths = []
    /// Where it stands whether the stream ends.
    public var end: FieldPaths = []
    /// What a message without a timestamp is; see ``MissingTime``.
    public var missingTime: MissingTime?
    /// Which columns of a table hold what.
    public var columns = ColumnMap()
    /// Whether the first row of a table names its columns.
    public var header = HeaderRow.auto
    /// What stands between the cells of a row.
    public var delimiter = ","

    /// What a row of a table of strokes holds; one of landmarks always holds a whole set of them.
    public var row = Row.sample
    /// A file with the names of the classes that a table tells by number, one a line.
    public var labels: FilePath?
    /// How many sets of points without times there are a second.
    public var hz: Double?

    public init() {}

    public static var options: [Option<DecodeOptions>] {
        Option(
            "preset", \.preset,
            "The shape of a well-known sender, which fills in what is not said here: canonical is ours.")
        Option(
            "format", \.format, "How messages are written; json unless the preset says otherwise.", example: "msgpack")
        Option(
            "frames", \.frames,
            "How a message over ZeroMQ is cut: topic_and_payload is two frames, the first of which names the stream; one is the payload alone; auto, the default, takes both.",
            example: "one")
        Option(
            "topic_delimiter", \.topicDelimiter,
            "What stands between the stream's name and the payload, where both are in one frame or line.",
            example: "\" \"")
        Option(
            "points", \.points,
            "Where the points are: a list of numbers, of [x, y, z] or of {x, y, z}; [*] for each of several.",
            example: "\"hands[*].landmarks\"")
        Option("left", \.left, "Where the points of left hands are.", example: "left_hand")
        Option("right", \.right, "Where the points of right hands are.", example: "right_hand")
        Option(
            "fields", \.fields,
            "What the numbers of one point are, letters of x, y, z, t (time), p (pressure), c (confidence).",
            example: "xyc")
        Option(
            "world", \.world, "Where the places in metres are. With space: world these are the points.",
            example: "\"hands[*].world\"")
        Option(
            "left_world", \.leftWorld, "Where the places in metres of left hands are.", example: "left_hand_world")
        Option(
            "right_world", \.rightWorld, "Where the places in metres of right hands are.",
            example: "right_hand_world")
        Option("conf", \.confidences, "Where the confidence of every point is.", example: "\"hands[*].conf\"")
        Option("handedness", \.handedness, "Where it stands which hand it is.", example: "\"hands[*].side\"")
        Option(
            "handedness_score", \.handednessScore, "Where it stands how sure that is.",
            example: "\"hands[*].side_score\"")
        Option("score", \.score, "Where the confidence of the detection is.", example: "confidence")
        Option(
            "presence", \.presence, "Where it stands how sure it is that something is there.",
            example: "\"hands[*].presence\"")
        Option("track", \.track, "Where the number of the tracked thing is.", example: "\"hands[*].id\"")
        Option("t", \.t, "Where the time is, in `t_unit`.", example: "header.timestamp")
        Option("t_unit", \.tUnit, "The unit of times; needed where times are.")
        Option("seq", \.seq, "Where the number of the message is.", example: "frame_id")
        Option("stream", \.stream, "Where the stream's name is.", example: "device")
        Option("label", \.label, "Where it stands what the gesture is meant to be.", example: "class")
        Option("subject", \.subject, "Where it stands who drew.", example: "user")
        Option(
            "phase", \.phase, "Where it stands whether a piece of a stroke begins, moves or ends it.", example: "type")
        Option("stroke", \.stroke, "Where the number of the stroke is.", example: "id")
        Option("values", \.values, "Where the numbers of a vector are.", example: "features")
        Option("end", \.end, "Where it stands whether the stream ends.", example: "last")
        Option(
            "missing_time", \.missingTime,
            "What a message without a timestamp is: an error, or stamped on receipt (from the monotonic clock), which is the default over ZeroMQ."
        )
        Option("columns", \.columns, "Which columns of a table hold what.", example: "{ x: 2, y: 3, t: time }")
        Option("header", \.header, "Whether the first row of a table names its columns.")
        Option("delimiter", \.delimiter, "What stands between the cells of a row: one character, or tab.")
        Option(
            "row", \.row,
            "What a row of a table holds: one sample, or the set of all points of a stroke, as x and y in turn. A row of landmarks is always a set."
        )
        Option(
            "labels", \.labels, "A file with the names of classes, one a line, for labels that are numbers from 0.",
            example: "labels.csv")
        Option(
            "hz", \.hz, in: 0.001...1e6,
            "How many sets of points without times there are a second; without it they are a second apart.",
            example: "30")
    }

    /// The paths by the field they lead to, with the names of the options.
    var paths: [(field: MessageField, name: String, paths: FieldPaths)] {
        [
            (.points, "points", points), (.left, "left", left), (.right, "right", right), (.world, "world", world),
            (.leftWorld, "left_world", leftWorld), (.rightWorld, "right_world", rightWorld),
            (.confidences, "conf", confidences), (.handedness, "handedness", handedness),
            (.handednessScore, "handedness_score", handednessScore), (.score, "score", score),
            (.presence, "presence", presence), (.track, "track", track), (.time, "t", t), (.sequence, "seq", seq),
            (.stream, "stream", stream), (.label, "label", label), (.subject, "subject", subject),
            (.phase, "phase", phase), (.stroke, "stroke", stroke), (.values, "values", values), (.end, "end", end),
        ]
    }

    /// All that messages are looked through for.
    var fieldTree: FieldTree {
        var tree = FieldTree()
        for (field, _, paths) in paths { tree.add(field, paths) }
        return tree
    }

    /// Whether messages are of another shape than ours.
    var isMapped: Bool {
        preset != .canonical || format == .csv || format == .text || paths.contains { !$0.paths.isEmpty }
    }

    /// The same, with what the preset says where nothing else is said.
    public func filled(for kind: PayloadKind) -> DecodeOptions {
        let preset = preset.options(for: kind)
        var filled = self
        filled.format = format ?? preset.format ?? .json
        filled.frames = frames ?? preset.frames ?? .auto
        filled.topicDelimiter = topicDelimiter ?? preset.topicDelimiter
        filled.fields = fields ?? preset.fields
        // Whoever says where the points are says it of all hands.
        if points.isEmpty, left.isEmpty, right.isEmpty, values.isEmpty {
            (filled.points, filled.left, filled.right) = (preset.points, preset.left, preset.right)
            if world.isEmpty, leftWorld.isEmpty, rightWorld.isEmpty {
                (filled.world, filled.leftWorld, filled.rightWorld) = (
                    preset.world, preset.leftWorld, preset.rightWorld
                )
            }
        }
        if t.isEmpty {
            filled.t = preset.t
            filled.tUnit = tUnit ?? preset.tUnit
        }
        for path in [
            \DecodeOptions.confidences, \.handedness, \.handednessScore, \.score, \.presence, \.track, \.seq,
            \.stream, \.label, \.subject, \.phase, \.stroke, \.values, \.end,
        ] where self[keyPath: path].isEmpty {
            filled[keyPath: path] = preset[keyPath: path]
        }
        return filled
    }

    /// The delimiter as a byte; a comma when it is none.
    var delimiterByte: UInt8 {
        if delimiter == "tab" { return 0x09 }
        return delimiter.utf8.count == 1 ? delimiter.utf8.first ?? 0x2C : 0x2C
    }
}
