extension Explanation {
    /// Codes about `decode` blocks and tables.
    static let decoding = Family(
        "What a decode block and a table say",
        [
            Explanation(
                "decode.fields", [.configuration, .frame],
                "The `fields` of a message or of a source name what a point cannot have.",
                cause: """
                    Every letter is a number of a point: x, y, z (depth), t (time), p (pressure), w (width), c \
                    (confidence). x and y must be there, and each kind has some of the others only.
                    """,
                configuration: """
                    version: 1
                    sources: [stdin: { kind: landmarks, decode: { points: pts, fields: xz } }]
                    sinks: [discard]
                    """,
                remedy: "Write the letters in the order of the numbers: `fields: xyc`."),
            Explanation(
                "decode.phase", [.frame],
                "A message of points does not say which part of a stroke it is in known words.",
                cause: "Points begin, move, end or cancel a stroke. The word in the message is none that is known.",
                output: """
                    error[decode.phase]: stdin: standard input, line 1, byte 40: "phase": expected one of begin, \
                    move, end, cancel, found "hover"
                    """,
                remedy: "Send one of the words in the message, or leave such messages out at the sender."),
            Explanation(
                "decode.time", [.configuration, .frame],
                "Points come without times.",
                cause: "Points are moments of a stroke, and a table of them needs a column that says when each was.",
                configuration: """
                    version: 1
                    sources: [file: { path: a.csv, kind: points, decode: { columns: { x: 1, y: 2 } } }]
                    sinks: [discard]
                    """,
                remedy: "Add the column: `columns: { x: 1, y: 2, t: 3 }`, with `t_unit`."),
            Explanation(
                "decode.time_unit", [.configuration, .frame],
                "Nothing says in which unit times are.",
                cause: "Times in a wrong unit look right and are wrong by a factor of a thousand, so none is assumed.",
                configuration: """
                    version: 1
                    sources: [file: { path: a.csv, kind: points, decode: { columns: { x: 1, y: 2, t: 3 } } }]
                    sinks: [discard]
                    """,
                remedy: "Add `t_unit: s`, `ms`, `us`, `ns` or `iso8601` beside the times."),
            Explanation(
                "decode.column", [.configuration, .frame],
                "A column of a table cannot be found.",
                cause: """
                    The header has no such name, there is no header (messages of a network never have one), or the \
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
                remedy: "Take one of the names that the help lists, or give columns by number, from 1."),
            Explanation(
                "decode.column_twice", [.configuration],
                "One column is given two meanings.",
                cause: "Two of x, y, t and p name the same column.",
                configuration: """
                    version: 1
                    sources: [file: { path: a.csv, decode: { columns: { x: 1, y: 1 } } }]
                    sinks: [discard]
                    """,
                remedy: "Give each its own column. Columns are counted from 1."),
            Explanation(
                "decode.path", [.configuration],
                "A path into a message is not written as paths are.",
                cause: """
                    A path leads from the top of a message to a value: keys with dots between them, `[0]` for a \
                    place in a list and `[*]` for each.
                    """,
                configuration: """
                    version: 1
                    sources: [stdin: { kind: landmarks, decode: { points: "hands[" } }]
                    sinks: [discard]
                    """,
                remedy: "Write it like `people[*].hand_left` or `data.points[0]`."),
            Explanation(
                "decode.path_twice", [.configuration],
                "One place in a message is given two meanings, or stands twice.",
                cause: "Two options of `decode` name the same path.",
                configuration: """
                    version: 1
                    sources: [stdin: { kind: vector, decode: { values: data, label: data } }]
                    sinks: [discard]
                    """,
                remedy: "Correct one of the paths."),
            Explanation(
                "decode.points", [.configuration],
                "A `decode` block does not say where the points or numbers are.",
                cause: "It says other things about messages, but without the points no frame can be made.",
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
                "A preset of `decode` does not lead to this kind of frame.",
                cause: "Each preset stands for the messages of one program, and they hold certain kinds.",
                configuration: """
                    version: 1
                    sources: [stdin: { kind: stroke, decode: { preset: openpose } }]
                    sinks: [discard]
                    """,
                remedy: "Write one of the kinds in the help. `pipectl stages PRESET` shows what a preset stands for."),
            Explanation(
                "decode.format", [.configuration],
                "A file or a pipe is to hold messages that are nothing but numbers.",
                cause: """
                    With `format: float32` or `float64` a message is as long as it comes. A file and a pipe do not say where \
                    one ends and the next begins.
                    """,
                configuration: """
                    version: 1
                    sources: [stdin: { kind: hands, decode: { format: float32 } }]
                    sinks: [discard]
                    """,
                remedy: "Send such messages over ZeroMQ, or write JSON Lines, MessagePack or CSV."),
            Explanation(
                "decode.label", [.frame],
                "A label is a number that no class has.",
                cause: """
                    `labels` names a file with the names of the classes, one a line, counted from 0. This number is \
                    beyond its end, or no number.
                    """,
                output: "error[decode.label]: file: data.csv, line 12: no class has the number \"26\"",
                remedy: """
                    Add the missing names to the file of labels, or leave `labels` out to take labels as they are.
                    """),
            Explanation(
                "decode.topology", [.frame],
                """
                The landmarks of a message are of another topology than the source was told, or of none that is \
                known.
                """,
                cause: """
                    A topology is the list of landmarks, such as the 21 of a hand. The number of points alone does \
                    not say which they are, or the message names another.
                    """,
                output: """
                    error[decode.topology]: stdin: standard input, line 1: nothing says which landmarks the 2 \
                    points are
                    """,
                remedy: "Say `topology` at the source: a name, or the points, as in `\"tool(tip, middle, end)\"`."),
            Explanation(
                "decode.space", [.frame],
                "A message names another space of coordinates than the source was told.",
                cause: """
                    The source says `space: normalized`, for example, and the message `"space": "pixels"`. To \
                    compute with the wrong one would give wrong results.
                    """,
                output: """
                    error[decode.space]: zmq: message 1, byte 61: "space": expected "normalized", found "pixels"
                    """,
                remedy: "Correct `space` at the source, or leave it out."),
        ])
}
