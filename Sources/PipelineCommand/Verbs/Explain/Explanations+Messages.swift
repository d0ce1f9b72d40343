extension Explanation {
    /// Codes about reading and writing messages.
    static let messages = Family(
        "Reading and writing messages",
        [
            Explanation(
                "decode.syntax", [.frame],
                "A message is not JSON, MessagePack, XML or CSV as it should be.",
                cause: """
                    The sender writes another format, a message is cut or two are run together, or a quote in a cell \
                    is not doubled.
                    """,
                output: "error[decode.syntax]: file: session.jsonl, line 2, byte 31: not JSON: expected a number",
                remedy: """
                    Look at that byte of the message. `pipectl listen ENDPOINT` shows what a sender sends and \
                    proposes how to read it.
                    """),
            Explanation(
                "decode.truncated", [.frame],
                "A message ends before it is complete.",
                cause: """
                    The writer was stopped in the middle of a line, a bracket or quote is not closed, or the \
                    transport cut the message.
                    """,
                output: """
                    error[decode.truncated]: file: session.jsonl, line 812, byte 1024: the text ends before the \
                    value does
                    """,
                remedy: """
                    If it is the last line of a recording, its writer was interrupted: `on_error: skip` reads the \
                    rest. Otherwise mend the sender.
                    """),
            Explanation(
                "decode.trailing", [.frame],
                "Something stands behind the end of a message.",
                cause: "A line or a message holds one value. Several were put together without a line end.",
                output: """
                    error[decode.trailing]: stdin: standard input, line 1, byte 70: something stands behind the \
                    value
                    """,
                remedy: "Send one message at a time, or write one a line."),
            Explanation(
                "decode.empty", [.frame],
                "A message has no content.",
                cause: "The sender sent nothing, or a text without any number.",
                output: "error[decode.empty]: zmq: a message without numbers",
                remedy: "Let the sender leave such messages out, or use `on_error: skip`."),
            Explanation(
                "decode.utf8", [.frame],
                "A text is not UTF-8.",
                cause: "The sender uses another encoding, or bytes that are not text stand where text is expected.",
                output: "error[decode.utf8]: stdin: standard input, line 1, byte 75: not UTF-8",
                remedy: "Send UTF-8. For MessagePack or raw bytes say so with `decode: { format: … }`."),
            Explanation(
                "decode.binary", [.frame],
                "A file or standard input holds binary data, where text is expected.",
                cause: """
                    The file is an image, an archive, text in UTF-16, or a MessagePack recording whose name does not \
                    say so.
                    """,
                output: "error[decode.binary]: stdin: standard input: a binary file, not text",
                remedy: "Check the file's name. Say `format: msgpack` for MessagePack; save text as UTF-8."),
            Explanation(
                "decode.pickle", [.frame],
                "A message is a Python pickle.",
                cause: """
                    A pickle is a program that its reader runs. Whoever can send one could make the reader do anything, so \
                    none is read.
                    """,
                output: """
                    error[decode.pickle]: zmq: message 1: a Python pickle, which is a program and is never run
                    """,
                remedy: """
                    Send JSON (`json.dumps`) or MessagePack (`msgpack.packb`) of plain lists and numbers; of an array \
                    `array.astype("float32").tobytes()`, which `decode: { format: float32 }` reads.
                    """),
            Explanation(
                "decode.capacity", [.frame],
                "A message is larger than the parser can hold.",
                cause: "There is not enough memory to read this one JSON document as a whole.",
                output: "error[decode.capacity]: zmq: larger than the parser can hold",
                remedy: "Split it into several messages."),
            Explanation(
                "decode.line_too_long", [.frame],
                "A line, or a file that is read as a whole, is too long.",
                cause: "Lines are limited so that a file without line ends does not fill the memory.",
                output: "error[decode.line_too_long]: file: session.jsonl, line 3: longer than max_line_bytes",
                remedy: "Raise `max_line_bytes` at the source if such lines are meant."),
            Explanation(
                "decode.depth", [.frame],
                "A message is nested too deep.",
                cause: "Lists and objects in it stand inside one another deeper than anything that is meant.",
                output: "error[decode.depth]: zmq: message 5, byte 1024: nested too deep",
                remedy: "Send it flatter."),
            Explanation(
                "decode.type", [.frame],
                "A value in a message is of the wrong type.",
                cause: """
                    A number was expected and a text is there, for example, or an object and a list. For other \
                    shapes of messages a `decode` block says where things are.
                    """,
                output: "error[decode.type]: stdin: standard input, line 1, byte 53: \"pts\": expected a number",
                remedy: "Mend the sender, or write a `decode` block. `pipectl listen` proposes one."),
            Explanation(
                "decode.missing", [.frame],
                "Something that a frame needs is not in the message.",
                cause: "The key is not there or is called otherwise, or nothing says when the frame was.",
                output: "error[decode.missing]: stdin: standard input, line 1: the key \"t_us\" is missing",
                remedy: """
                    Add it at the sender, or say with a `decode` block where it is. For messages without a time say \
                    `missing_time: receipt` (live) or `hz` (files).
                    """),
            Explanation(
                "decode.range", [.frame],
                "A number in a message is out of range.",
                cause: """
                    Times lie between 0 and 2^53 − 1 µs. Values beyond that are most often times in another unit \
                    than was said, or before the beginning.
                    """,
                output: """
                    error[decode.range]: stdin: standard input, line 1, byte 30: "t_us": a time lies between 0 \
                    and 2^53 − 1 µs
                    """,
                remedy: "Check the unit: `t_unit` says it for messages of other shapes. Numbers must be finite."),
            Explanation(
                "decode.not_finite", [.frame],
                "A number in a MessagePack message is infinite or not a number.",
                cause: "The sender divided by zero or stands for a missing value with NaN.",
                output: "error[decode.not_finite]: zmq: message 7, byte 40: expected a finite number, found nan",
                remedy: "Let the sender leave out what it does not know."),
            Explanation(
                "decode.count", [.frame],
                "There are more or fewer values than there should be.",
                cause: """
                    Numbers of points must fill whole points, every landmark of a topology must be there, and the \
                    cells of a row must be as many as in the first. Often `fields` or `topology` does not fit the \
                    data.
                    """,
                output: """
                    error[decode.count]: stdin: standard input, line 1, byte 52: "pts": 3 numbers are no whole \
                    number of points of 2 fields
                    """,
                remedy: """
                    Say with `fields` what the numbers of a point are (`xy`, `xyz`, `xyc` …) and with `topology` \
                    which landmarks there are.
                    """),
            Explanation(
                "decode.kind", [.configuration, .frame],
                "A message, a file or a table holds another kind of frame than the source brings.",
                cause: """
                    `kind` at the source says what it brings, and what it reads is of another kind. In a \
                    configuration: this kind cannot be read from tables or from messages of other shapes.
                    """,
                configuration: """
                    version: 1
                    sources: [file: { path: labels.csv, kind: vector, decode: { columns: { x: 1, y: 2 } } }]
                    sinks: [discard]
                    """,
                remedy: "Write the `kind` that the data has. `pipectl info FILE` shows what is in a recording."),
            Explanation(
                "decode.version", [.frame],
                "A message is of a version of the format that is not known.",
                cause: """
                    The key `v` of a message is its version, and only 1 is known. A newer program wrote it, or the \
                    key means something else.
                    """,
                output: "error[decode.version]: stdin: standard input, line 1, byte 5: \"v\": expected 1, found 2",
                remedy: "Use a newer `pipectl`, or a `decode` block if these are messages of another program."),
            Explanation(
                "decode.subject", [.frame],
                "What a recognition was made from is of a kind that is not known.",
                cause: "The key `subject` of a recognition holds a stroke or landmarks.",
                output: """
                    error[decode.subject]: file: results.jsonl, line 1, byte 210: expected kind "stroke" or \
                    "landmarks", found "vector"
                    """,
                remedy: "Leave the key out, or put a stroke or landmarks there."),
            Explanation(
                "decode.bits", [.frame],
                "A bitmap is not 16 hexadecimal digits.",
                cause: "A bitmap of 8 by 8 is written as 64 bits in hexadecimal.",
                output: "error[decode.bits]: file: bitmaps.jsonl, line 4, byte 62: expected 16 hexadecimal digits",
                remedy: "Write all 16 digits, with zeros in front."),
            Explanation(
                "decode.encoding", [.frame],
                "An MCAP file holds messages in an encoding that is not read.",
                cause: """
                    Messages in JSON and MessagePack are read. Others, such as those of ROS, in Protobuf or CDR, are \
                    not.
                    """,
                output: """
                    error[decode.encoding]: file: session.mcap: the messages of "/camera" are in cdr, which is \
                    not read
                    """,
                remedy: "Name the topics to read with `streams`, or convert the file with the program that made it."),
            Explanation(
                "decode.none", [.defect],
                "A decoder was made without a shape of messages.",
                cause: "A configuration cannot cause this.",
                output: "error[decode.none]: zmq: a decoder without a shape",
                remedy: "Report it with the configuration."),
            Explanation(
                "encode.counts", [.frame],
                "A frame cannot be written, since its parts do not add up.",
                cause: """
                    A stroke says how many points each of its parts has, and these do not sum to its points. A stage \
                    made it so.
                    """,
                output: "error[encode.counts]: stdout: the counts of the strokes do not add up to its 2 samples",
                remedy: "If the stage is yours, keep counts and points together. Otherwise report it."),
            Explanation(
                "encode.not_finite", [.frame],
                "A frame cannot be written, since it holds a number that is not finite.",
                cause: "JSON has no infinity and no NaN. A stage computed one, or the data held one.",
                output: "error[encode.not_finite]: stdout: a vector holds a number that is not finite",
                remedy: """
                    Put a stage that checks before it, or `on_error: skip` at the sink to leave such frames out. \
                    Report it if a stage of this program made the number.
                    """),
        ])
}
