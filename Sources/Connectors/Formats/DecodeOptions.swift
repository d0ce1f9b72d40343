import Pipeline
import PipelineComponents

/// How a source reads what it receives.
public struct DecodeOptions: OptionGroup, SharedOptions {
    public static let title = "Decode options"

    /// The format of messages.
    public enum Format: String, OptionChoice {
        /// JSON, with one value per message.
        case json
        /// MessagePack, with one value per message.
        case msgpack
        /// Comma-separated values.
        case csv
        /// Numbers separated by blanks.
        case text
        /// Only 32-bit floating-point numbers, little-endian.
        case float32
        /// Only 64-bit floating-point numbers, little-endian.
        case float64

        /// Whether messages are rows of text.
        var isRows: Bool { self == .csv || self == .text }

        /// Whether messages consist only of binary numbers.
        var isRaw: Bool { self == .float32 || self == .float64 }
    }

    /// The treatment of a message without a timestamp.
    public enum MissingTime: String, OptionChoice {
        /// The message is an error.
        case error
        /// The frame gets the time of receipt, and its origin records this.
        case receipt
    }

    /// The content of a row of a table.
    public enum Row: String, OptionChoice {
        /// One sample of a stroke.
        case sample
        /// All points of a stroke.
        case set
    }

    /// The frames of a ZeroMQ message.
    public enum Frames: String, OptionChoice {
        /// One frame with the payload, or two frames with the topic and the payload.
        case auto
        /// One frame with the payload.
        case one
        /// Two frames: the topic, which names the stream, and the payload.
        case topicAndPayload = "topic_and_payload"
        /// Three frames: the topic, the time and the payload.
        case topicTimeAndPayload = "topic_time_and_payload"
    }

    @Option(
        "Message shape of a well-known sender. The preset fills in the options that you do not set here. Without a preset and without paths, messages must be canonical.",
        example: "mediapipe")
    public var preset: DecodePreset?

    @Option("How messages are written; json unless the preset says otherwise.", example: "msgpack")
    public var format: Format?

    @Option(
        "Frames of a ZeroMQ message. one: the payload. topic_and_payload: the topic, which names the stream, and the payload. topic_time_and_payload: also the time between them, as text or as a floating-point number of eight bytes. auto, the default: one, or topic_and_payload if there are two frames.",
        example: "one")
    public var frames: Frames?

    @Option(
        "Text between the name of the stream and the payload, if both are in one frame or line.", example: "\" \"")
    public var topicDelimiter: String?

    @Option(
        "Path of the points. They are a list of numbers, of [x, y, z] or of {x, y, z}, an object with points under their names, or an object with a list for each of x, y and z. [*] stands for every element of a list.",
        example: "\"hands[*].landmarks\"")
    public var points: FieldPaths = []

    @Option("Path of the points of left hands.", example: "left_hand")
    public var left: FieldPaths = []

    @Option("Path of the points of right hands.", example: "right_hand")
    public var right: FieldPaths = []

    @Option(
        "Meaning of the numbers of a point, one letter each: x, y, z, t (time), p (pressure), c (confidence).",
        example: "xyc"
    )
    public var fields: PointFields?

    @Option(
        "Path of the text that gives the meaning of a point's numbers, in the letters of `fields`.", example: "columns")
    public var layout: FieldPaths = []

    @Option(
        "Shape of a message in format float32 or float64: the number of points and of numbers per point. A number before these two is the number of sets.",
        example: "[21, 3]")
    public var shape: [Int] = []

    @Option(
        "Path of the positions in meters. If the source has space: world, these positions are the points.",
        example: "\"hands[*].world\"")
    public var world: FieldPaths = []

    @Option("Path of the positions of left hands in meters.", example: "left_hand_world")
    public var leftWorld: FieldPaths = []

    @Option("Path of the positions of right hands in meters.", example: "right_hand_world")
    public var rightWorld: FieldPaths = []

    @Option("Path of the confidences of the points.", name: "conf", example: "\"hands[*].conf\"")
    public var confidences: FieldPaths = []

    @Option("Path of the handedness, left or right.", example: "\"hands[*].side\"")
    public var handedness: FieldPaths = []

    @Option("Path of the score of the handedness.", example: "\"hands[*].side_score\"")
    public var handednessScore: FieldPaths = []

    @Option("Path of the score of the detection.", example: "confidence")
    public var score: FieldPaths = []

    @Option("Path of the probability that the hand or body is there.", example: "\"hands[*].presence\"")
    public var presence: FieldPaths = []

    @Option("Path of the identity of the tracked hand or body.", example: "\"hands[*].id\"")
    public var track: FieldPaths = []

    @Option("Path of the topology: which landmarks there are.", example: "\"hands[*].model\"")
    public var topology: FieldPaths = []

    @Option("Path of the space of the coordinates.", example: "\"hands[*].space\"")
    public var space: FieldPaths = []

    @Option("Path of the reason not to trust the landmarks.", example: "\"hands[*].doubt\"")
    public var doubt: FieldPaths = []

    @Option("Path of the time, in `t_unit`.", example: "header.timestamp")
    public var t: FieldPaths = []

    @Option("Unit of times, or iso8601 for texts like 2026-11-23T13:06:38.250Z. Required if messages have times.")
    public var tUnit: TimeUnit?

    @Option("Unit of the times of points, of start and of end_time, if it differs from t_unit.", example: "ms")
    public var sampleUnit: TimeUnit?

    @Option("Path of the time when the gesture began. The times of points then count from there.", example: "begin")
    public var start: FieldPaths = []

    @Option("Path of the time when the gesture of a vector ended.", example: "finish")
    public var endTime: FieldPaths = []

    @Option("Path of the sequence number of the message.", example: "frame_id")
    public var seq: FieldPaths = []

    @Option("Path of the name of the stream.", example: "device")
    public var stream: FieldPaths = []

    @Option("Path of the label: the gesture that was meant.", example: "class")
    public var label: FieldPaths = []

    @Option("Path of the person who made the gesture.", example: "user")
    public var subject: FieldPaths = []

    @Option("Path of the phase: whether a piece begins, continues or ends a stroke.", example: "type")
    public var phase: FieldPaths = []

    @Option("Path of the number of the stroke.", example: "id")
    public var stroke: FieldPaths = []

    @Option("Path of the list with the number of points of each stroke.", example: "lengths")
    public var counts: FieldPaths = []

    @Option("Path of the numbers of a vector.", example: "features")
    public var values: FieldPaths = []

    @Option("Path of the flag that ends the stream.", example: "last")
    public var end: FieldPaths = []

    @Option(
        "For a payload of your own: the path of each field, by the field's name; in a table, the field's column.",
        example: "{ value: result.length }")
    public var keys = FieldPathMap()

    @Option(
        "What happens to a message without a timestamp. error: the message is an error. receipt, the default over ZeroMQ: the timestamp is the time of arrival (monotonic clock)."
    )
    public var missingTime: MissingTime?

    @Option("Columns of a table, by what they hold.", example: "{ x: 2, y: 3, t: time }")
    public var columns = ColumnMap()

    @Option("Whether the first row of a table names the columns.")
    public var header = HeaderRow.auto

    @Option("Character between the cells of a row, or tab.")
    public var delimiter = ","

    @Option(
        "What a row of a table holds: one sample, or all points of a stroke as alternating x and y. A row of landmarks always holds a whole set."
    )
    public var row = Row.sample

    @Option(
        "File with the names of classes, one per line, for labels that are numbers from 0, in tables with a whole set in each row.",
        example: "labels.csv")
    public var labels: FilePath?

    @Option(
        "Number of sets per second, for sets of points without times. Without it, the sets are one second apart.",
        in: 0.001...1e6, example: "30")
    public var hz: Double?

    public init() {}
}
