import Pipeline
import PipelineComponents

/// How a source reads what it receives.
public struct DecodeOptions: OptionGroup, SharedOptions {
    public static let title = "Decode options"

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

    @Option(
        "The shape of a well-known sender, which fills in what is not said here: canonical is ours.")
    public var preset = DecodePreset.canonical

    @Option("How messages are written; json unless the preset says otherwise.", example: "msgpack")
    public var format: Format?

    @Option(
        "How a message over ZeroMQ is cut: topic_and_payload is two frames, the first of which names the stream; one is the payload alone; auto, the default, takes both.",
        example: "one")
    public var frames: Frames?

    @Option(
        "What stands between the stream's name and the payload, where both are in one frame or line.", example: "\" \"")
    public var topicDelimiter: String?

    @Option(
        "Where the points are: a list of numbers, of [x, y, z] or of {x, y, z}; [*] for each of several.",
        example: "\"hands[*].landmarks\"")
    public var points: FieldPaths = []

    @Option("Where the points of left hands are.", example: "left_hand")
    public var left: FieldPaths = []

    @Option("Where the points of right hands are.", example: "right_hand")
    public var right: FieldPaths = []

    @Option(
        "What the numbers of one point are, letters of x, y, z, t (time), p (pressure), c (confidence).",
        example: "xyc"
    )
    public var fields: PointFields?

    @Option("Where the places in metres are. With space: world these are the points.", example: "\"hands[*].world\"")
    public var world: FieldPaths = []

    @Option("Where the places in metres of left hands are.", example: "left_hand_world")
    public var leftWorld: FieldPaths = []

    @Option("Where the places in metres of right hands are.", example: "right_hand_world")
    public var rightWorld: FieldPaths = []

    @Option("Where the confidence of every point is.", name: "conf", example: "\"hands[*].conf\"")
    public var confidences: FieldPaths = []

    @Option("Where it stands which hand it is.", example: "\"hands[*].side\"")
    public var handedness: FieldPaths = []

    @Option("Where it stands how sure that is.", example: "\"hands[*].side_score\"")
    public var handednessScore: FieldPaths = []

    @Option("Where the confidence of the detection is.", example: "confidence")
    public var score: FieldPaths = []

    @Option("Where it stands how sure it is that something is there.", example: "\"hands[*].presence\"")
    public var presence: FieldPaths = []

    @Option("Where the number of the tracked thing is.", example: "\"hands[*].id\"")
    public var track: FieldPaths = []

    @Option("Where the time is, in `t_unit`.", example: "header.timestamp")
    public var t: FieldPaths = []

    @Option("The unit of times; needed where times are.")
    public var tUnit: TimeUnit?

    @Option("Where the number of the message is.", example: "frame_id")
    public var seq: FieldPaths = []

    @Option("Where the stream's name is.", example: "device")
    public var stream: FieldPaths = []

    @Option("Where it stands what the gesture is meant to be.", example: "class")
    public var label: FieldPaths = []

    @Option("Where it stands who drew.", example: "user")
    public var subject: FieldPaths = []

    @Option("Where it stands whether a piece of a stroke begins, moves or ends it.", example: "type")
    public var phase: FieldPaths = []

    @Option("Where the number of the stroke is.", example: "id")
    public var stroke: FieldPaths = []

    @Option("Where the numbers of a vector are.", example: "features")
    public var values: FieldPaths = []

    @Option("Where it stands whether the stream ends.", example: "last")
    public var end: FieldPaths = []

    @Option(
        "What a message without a timestamp is: an error, or stamped on receipt (from the monotonic clock), which is the default over ZeroMQ."
    )
    public var missingTime: MissingTime?

    @Option("Which columns of a table hold what.", example: "{ x: 2, y: 3, t: time }")
    public var columns = ColumnMap()

    @Option("Whether the first row of a table names its columns.")
    public var header = HeaderRow.auto

    @Option("What stands between the cells of a row: one character, or tab.")
    public var delimiter = ","

    @Option(
        "What a row of a table holds: one sample, or the set of all points of a stroke, as x and y in turn. A row of landmarks is always a set."
    )
    public var row = Row.sample

    @Option("A file with the names of classes, one a line, for labels that are numbers from 0.", example: "labels.csv")
    public var labels: FilePath?

    @Option(
        "How many sets of points without times there are a second; without it they are a second apart.",
        in: 0.001...1e6, example: "30")
    public var hz: Double?

    public init() {}

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
