extension Explanation {
    /// Codes about `decode` blocks and tables.
    static let decoding = Family(
        "Decode blocks and tables",
        [
            Explanation(
                "decode.fields", [.configuration, .frame],
                "The `fields` of a message or of a source name a value that a point cannot have.",
                cause: """
                    Every letter is a number of a point: x, y, z (depth), t (time), p (pressure), w (width), c \
                    (confidence). x and y are required, and each kind allows only some of the others.
                    """,
                configuration: """
                    version: 1
                    sources: [stdin: { kind: landmarks, decode: { points: pts, fields: xz } }]
                    sinks: [discard]
                    """,
                remedy: "Write the letters in the order of the numbers: `fields: xyc`."),
            Explanation(
                "decode.phase", [.frame],
                "A message of points has an unknown word for its part of a stroke.",
                cause: """
                    Points begin, move, end or cancel a stroke. The word in the message is none of those known.
                    """,
                output: """
                    error[decode.phase]: stdin: standard input, line 1, byte 40: "phase": expected one of begin, \
                    move, end, cancel, found "hover"
                    """,
                remedy: "Send one of the words in the message, or leave such messages out at the sender."),
            Explanation(
                "decode.time", [.configuration, .frame],
                "Points have no times.",
                cause: """
                    Points are moments of a stroke, so a table of points needs a column with the time of each.
                    """,
                configuration: """
                    version: 1
                    sources: [file: { path: a.csv, kind: points, decode: { columns: { x: 1, y: 2 } } }]
                    sinks: [discard]
                    """,
                remedy: "Add the column: `columns: { x: 1, y: 2, t: 3 }`, with `t_unit`."),
            Explanation(
                "decode.time_unit", [.configuration, .frame],
                "The unit of times is not set.",
                cause: """
                    Times in a wrong unit look right and are wrong by a factor of a thousand, so no unit is assumed.
                    """,
                configuration: """
                    version: 1
                    sources: [file: { path: a.csv, kind: points, decode: { columns: { x: 1, y: 2, t: 3 } } }]
                    sinks: [discard]
                    """,
                remedy: "Add `t_unit: s`, `ms`, `us`, `ns` or `iso8601` next to the times."),
            Explanation(
                "decode.column", [.configuration, .frame],
                "A column of a table cannot be found.",
                cause: """
                    The header does not contain the name, there is no header (network messages never have one), or the \
                    header names coordinates that do not fit the topology.
                    """,
                configuration: """
                    version: 1
                    sources:
                      - zmq:
                          connect: "tcp://127.0.0.1:5556"
                          socket: pull
                          decode: { format: csv, columns: { x: a, y: b } }
                    sinks: [discard]
                    """,
                remedy: "Use one of the names that the help lists, or number the columns from 1."),
            Explanation(
                "decode.column_twice", [.configuration],
                "One column is given two meanings.",
                cause: "Two of x, y, t and p name the same column.",
                configuration: """
                    version: 1
                    sources: [file: { path: a.csv, decode: { columns: { x: 1, y: 1 } } }]
                    sinks: [discard]
                    """,
                remedy: "Give each of them its own column. Columns are counted from 1."),
            Explanation(
                "decode.path", [.configuration],
                "A path into a message has the wrong syntax.",
                cause: """
                    A path leads from the top of a message to a value: keys with dots between them, `[0]` for a \
                    position in a list and `[*]` for every element.
                    """,
                configuration: """
                    version: 1
                    sources: [stdin: { kind: landmarks, decode: { points: "hands[" } }]
                    sinks: [discard]
                    """,
                remedy: "Write a path such as `people[*].hand_left` or `data.points[0]`."),
            Explanation(
                "decode.path_twice", [.configuration],
                "A location in a message has two meanings, or is given twice.",
                cause: "Two options of `decode` name the same path.",
                configuration: """
                    version: 1
                    sources: [stdin: { kind: vector, decode: { values: data, label: data } }]
                    sinks: [discard]
                    """,
                remedy: "Correct one of the paths."),
            Explanation(
                "decode.path_inside", [.configuration],
                "A path leads into a list that another option reads as a whole.",
                cause: """
                    The list of points, or of numbers, is the value of one option. A path to a part of it has nothing of its \
                    own to read.
                    """,
                configuration: """
                    version: 1
                    sources: [stdin: { kind: landmarks, decode: { points: pts, conf: "pts[*].sure" } }]
                    sinks: [discard]
                    """,
                remedy: """
                    Give the path of a list beside the points. A confidence inside of a point is read without a path if it \
                    is called `visibility`, `confidence`, `conf`, `score`, `likelihood` or `c`, or if `fields` has `c`. For \
                    any other name, write `points: "pts[*]"` and `conf: "pts[*].sure"`.
                    """),
            Explanation(
                "decode.points", [.configuration],
                "A `decode` block does not give the location of the points or numbers.",
                cause: "The block describes other parts of a message, but without points no frame can be created.",
                configuration: """
                    version: 1
                    sources: [stdin: { kind: landmarks, decode: { t: time, t_unit: s } }]
                    sinks: [discard]
                    """,
                remedy: """
                    Add `points:` (or `values:` for vectors) with the path to them, or a preset. `pipectl listen` \
                    finds the path.
                    """),
            Explanation(
                "decode.preset", [.configuration],
                "A preset of `decode` does not support this kind of frame.",
                cause: "Each preset is for the messages of one program, which contain certain kinds.",
                configuration: """
                    version: 1
                    sources: [stdin: { kind: stroke, decode: { preset: openpose } }]
                    sinks: [discard]
                    """,
                remedy: """
                    Write one of the kinds in the help. `pipectl stages PRESET` shows the options of a preset.
                    """),
            Explanation(
                "decode.format", [.configuration],
                "A file or a pipe is configured to contain messages of raw numbers.",
                cause: """
                    With `format: float32` or `float64`, a message has no length of its own. In a file or a pipe, the \
                    boundary between two messages is unknown.
                    """,
                configuration: """
                    version: 1
                    sources: [stdin: { kind: hands, decode: { format: float32 } }]
                    sinks: [discard]
                    """,
                remedy: "Send such messages over ZeroMQ, or write JSON Lines, MessagePack or CSV."),
            Explanation(
                "decode.label", [.frame],
                "A label is a number without a class.",
                cause: """
                    `labels` names a file with the names of the classes, one per line, counted from 0. This label is \
                    beyond the end of the file, or is not a number.
                    """,
                output: "error[decode.label]: file: data.csv, line 12: no class has the number \"26\"",
                remedy: """
                    Add the missing names to the file of labels, or leave `labels` out to use labels unchanged.
                    """),
            Explanation(
                "decode.topology", [.frame],
                "The landmarks of a message have another topology than the source, or an unknown one.",
                cause: """
                    A topology is the list of landmarks, such as the 21 of a hand. The number of points alone does not \
                    identify it, or the message names another.
                    """,
                output: """
                    error[decode.topology]: stdin: standard input, line 1: the topology of the 2 points is \
                    unknown
                    """,
                remedy: """
                    Set `topology` at the source to a name, or to the points, as in `"tool(tip, middle, end)"`.
                    """),
            Explanation(
                "decode.space", [.frame],
                "A message names another coordinate space than the source.",
                cause: """
                    For example, the source has `space: normalized`, and the message has `"space": "pixels"`. The \
                    wrong space would give wrong results.
                    """,
                output: """
                    error[decode.space]: zmq: message 1, byte 61: "space": expected "normalized", found "pixels"
                    """,
                remedy: "Correct `space` at the source, or leave it out."),
        ])
}
