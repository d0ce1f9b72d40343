extension WireKey {
    /// Returns the descriptions of the fields under the given keys, in the order in which ``WireKey`` declares them.
    static func fields(_ keys: WireKeys, required: WireKeys) -> [FieldDescription] {
        allCases.filter(keys.contains).map { key in
            let (type, unit, summary) = key.content
            return FieldDescription(key.name, type, unit: unit, isOptional: !required.contains(key), summary)
        }
    }

    /// The type, the unit and the meaning of the value, for the reference and the schemas of recordings.
    private var content: (type: FieldType, unit: String?, summary: String) {
        switch self {
        case .v: (.integer, nil, "The version of the format, 1.")
        case .kind: (.text, nil, "What it is: the name of its payload.")
        case .stream: (.text, nil, "The stream; without it, the `id` of the source.")
        case .seq: (.integer, nil, "The number of the frame in its stream, 0 … 2^53 − 1.")
        case .tUs: (.integer, "µs", "Its time, 0 … 2^53 − 1.")
        case .recvUs:
            (
                .integer, "µs",
                "When it was received, on the receiver's monotonic clock; written by the `file` sink of a live run."
            )
        case .clock:
            (
                .text, nil,
                "The name of the clock: `unix`, `monotonic`, or any; `receipt` where the sender gave no time and the frame was stamped when it came."
            )
        case .file:
            (
                .text, nil,
                "The name of the file that it was read from, when that file holds one frame or the source is told to say it."
            )
        case .line:
            (
                .integer, nil,
                "The line of that file on which it began, from 1; in MessagePack and MCAP the number of its message."
            )
        case .end: (.boolean, nil, "`true` on the last frame of a stream, if the sender says so.")
        case .quiet: (.boolean, nil, "`true` in a message that only says which number a quiet stream has reached.")
        case .fields:
            (
                .text, nil,
                "What the numbers of one point are, in order: `x`, `y`, `z`, `t` (time, in microseconds after `start_us`), `p` (pressure), `w` (width)."
            )
        case .pts: (.numbers, nil, "The numbers of all points in one list.")
        case .startUs: (.integer, "µs", "When it began.")
        case .endUs: (.integer, "µs", "When it ended.")
        case .counts: (.numbers, nil, "How many samples each stroke has; absent when there is one stroke.")
        case .label: (.text, nil, "What it is meant to be.")
        case .subject:
            (.textOrObject, nil, "Who drew it; of what was made of a stroke or of landmarks, these, when asked for.")
        case .phase: (.text, nil, "`begin`, `move`, `end` or `cancel`; of ink, absent for whole strokes.")
        case .stroke: (.integer, nil, "The number of the stroke.")
        case .topology: (.text, nil, "Which landmarks there are.")
        case .space: (.text, nil, "What coordinates count: `normalized`, `pixels`, `world` or `unitless`.")
        case .conf: (.numbers, nil, "The confidence of each point.")
        case .world: (.numbers, "m", "x, y and z of each point in the world.")
        case .handedness: (.text, nil, "Which hand it is.")
        case .handednessScore: (.number, nil, "How sure that is.")
        case .score: (.number, nil, "The confidence of the detection.")
        case .presence: (.number, nil, "How sure it is that something is there.")
        case .track: (.integer, nil, "The number of the tracked thing.")
        case .doubt: (.text, nil, "Why it is not to be trusted.")
        case .hands: (.list, nil, "Landmarks without the keys of a frame; of results each with `categories`.")
        case .categories:
            (.list, nil, "What it may be, best first, each with `name`, `display_name`, `index` and `score`.")
        case .margin: (.number, nil, "How much better the best is than the next.")
        case .confidence: (.number, nil, "How likely the best, or None, is right, where the matcher knows.")
        case .matcher: (.text, nil, "What found it.")
        case .values: (.numbers, nil, "The numbers.")
        case .bits: (.text, nil, "64 cells as 16 hexadecimal digits, row by row from the top left.")
        case .strips:
            (
                .list, nil,
                "For each stroke a list of numbers: `x`, `y` and `w` of every point in turn, with `t` where times are known."
            )
        case .mesh: (.any, nil, "For each stroke `x` and `y` of the corners of its triangle strip.")
        case .node: (.text, nil, "Where it failed.")
        case .code: (.text, nil, "What kind of error it is.")
        case .message: (.text, nil, "What is wrong.")
        case .location: (.text, nil, "Where in the input.")
        case .frame: (.any, nil, "The frame, as its kind and its keys.")
        }
    }
}
