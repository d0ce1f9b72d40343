extension WireKey {
    /// Returns the descriptions of the fields under the given keys, in the order in which ``WireKey`` declares them.
    static func fields(_ keys: WireKeys, required: WireKeys) -> [FieldDescription] {
        allCases.filter(keys.contains).map { key in
            let (type, unit, summary) = key.content(among: keys)
            return FieldDescription(key.name, type, unit: unit, isOptional: !required.contains(key), summary)
        }
    }

    /// Returns the type, the unit and the meaning of the value, for the reference and the schemas of recordings.
    ///
    /// - Parameter keys: The keys of the payload. Some keys have another meaning in another payload.
    private func content(among keys: WireKeys) -> (type: FieldType, unit: String?, summary: String) {
        switch self {
        case .v: (.integer, nil, "The version of the format, 1.")
        case .kind: (.text, nil, "The kind of the frame: the name of its payload.")
        case .stream: (.text, nil, "The name of the stream; by default, the `id` of the source.")
        case .seq: (.integer, nil, "The number of the frame in its stream, 0 … 2^53 − 1.")
        case .tUs: (.integer, "µs", "The timestamp of the frame, 0 … 2^53 − 1.")
        case .recvUs:
            (
                .integer, "µs",
                "The time of receipt, on the receiver's monotonic clock. The `file` sink of a live run writes it."
            )
        case .clock:
            (
                .text, nil,
                "The clock of the timestamp: `unix`, `monotonic`, or another name; `receipt` if the sender gave no time and the frame was stamped on arrival."
            )
        case .file:
            (
                .text, nil,
                "The name of the file that the frame was read from. It is present if the file holds one frame, or with `origin: true`."
            )
        case .line:
            (
                .integer, nil,
                "The line of that file on which the frame begins, from 1; in MessagePack and MCAP, the number of the message."
            )
        case .end: (.boolean, nil, "`true` on the last frame of a stream, if the sender marks it.")
        case .restarts:
            (
                .boolean, nil,
                "`true` beside `end` if the stream goes on, or may go on: times and numbers begin again, and another end follows."
            )
        case .quiet:
            (
                .boolean, nil,
                "`true` in a message that only repeats the last number of a stream, because there are no new frames."
            )
        case .fields:
            (
                .text, nil,
                "The meaning of the numbers of a point, one letter each: `x`, `y`, "
                    + (keys.contains(.topology)
                        ? "`z`."
                        : "`t` (time, in microseconds after `start_us`), "
                            + (keys.contains(.strips) ? "`w` (width)." : "`p` (pressure)."))
            )
        case .pts: (.numbers, nil, "The numbers of all points in one list.")
        case .startUs: (.integer, "µs", "The time at which the gesture began.")
        case .endUs: (.integer, "µs", "The time at which the gesture ended.")
        case .counts: (.numbers, nil, "The number of samples of each stroke; absent if there is one stroke.")
        case .label: (.text, nil, "The intended gesture.")
        // Only results have the end of the gesture that they were made from.
        case .subject where keys.contains(.endUs):
            (.object, nil, "The stroke or the landmarks from which the frame was made, if requested.")
        case .subject: (.text, nil, "The person who made the gesture.")
        case .phase:
            (.text, nil, "The part of a stroke: `begin`, `move`, `end` or `cancel`; absent for ink of whole strokes.")
        case .stroke: (.integer, nil, "The number of the stroke.")
        case .topology: (.text, nil, "The set of landmarks, in order.")
        case .space:
            (
                .text, nil,
                "The space of the coordinates: `normalized`, `pixels`, `world` or `unitless`. Any other word is an unknown space."
            )
        case .conf: (.numbers, nil, "The confidence of each point.")
        case .world: (.numbers, "m", "The world position of each point: x, y and z.")
        case .handedness:
            (
                .text, nil,
                "The handedness: `Left` or `Right`, also read as `L` or `R` and in any case. Any other word is an unknown handedness."
            )
        case .handednessScore: (.number, nil, "The score of the handedness.")
        case .score: (.number, nil, "The score of the detection.")
        case .presence: (.number, nil, "The probability that the hand or body is there.")
        case .track: (.integer, nil, "The identity of the tracked hand or body.")
        case .doubt: (.text, nil, "The reason not to trust the landmarks.")
        case .hands:
            (
                .list, nil,
                "The hands. Each has the keys of landmarks, except those that every message has; in results, also `categories`."
            )
        case .categories:
            (.list, nil, "The categories, best first, each with `name`, `display_name`, `index` and `score`.")
        case .margin: (.number, nil, "The difference between the scores of the best category and the next.")
        case .confidence:
            (.number, nil, "The probability that the best category, or None, is right, if the matcher estimates it.")
        case .matcher: (.text, nil, "The matcher that recognized the gesture.")
        case .values: (.numbers, nil, "The numbers of the vector.")
        case .bits: (.text, nil, "64 cells as 16 hexadecimal digits, row by row from the top left.")
        case .strips:
            (
                .list, nil,
                "For each stroke, a list of numbers: `x`, `y` and `w` of every point in turn, and `t` if times are known."
            )
        case .mesh: (.any, nil, "For each stroke, `x` and `y` of the corners of its triangle strip.")
        case .node: (.text, nil, "The component that failed.")
        case .code: (.text, nil, "The code of the error.")
        case .message: (.text, nil, "The message of the error.")
        case .location: (.text, nil, "The location of the error in the input.")
        case .frame: (.any, nil, "The frame that failed, with its kind and its keys.")
        }
    }
}
