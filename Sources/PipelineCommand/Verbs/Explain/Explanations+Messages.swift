extension Explanation {
    /// Codes about reading and writing messages.
    static let messages = Family(
        "Reading and writing messages",
        [
            Explanation(
                "decode.syntax", [.frame],
                "A message is not valid JSON, MessagePack, XML or CSV.",
                cause: """
                    The sender uses another format, a message is cut off, two messages are joined, or a quote in a \
                    cell is not doubled. JSON has no NaN and no infinity, but Python's `json.dumps` writes them.
                    """,
                output: "error[decode.syntax]: file: session.jsonl, line 2, byte 31: not JSON: expected a number",
                remedy: """
                    Look at the byte of the message that the error names. `pipectl listen ENDPOINT` shows the messages of a sender and \
                    suggests how to read them.
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
                    rest. Otherwise fix the sender.
                    """),
            Explanation(
                "decode.trailing", [.frame],
                "There is data after the end of a message.",
                cause: "A line or a message must contain one value. Several values were joined without a newline.",
                output: """
                    error[decode.trailing]: stdin: standard input, line 1, byte 70: something follows the value
                    """,
                remedy: "Send one message at a time, or write one per line."),
            Explanation(
                "decode.empty", [.frame],
                "A message has no content.",
                cause: "The sender sent nothing, or a text without any number.",
                output: "error[decode.empty]: zmq: a message without numbers",
                remedy: "Let the sender leave such messages out, or use `on_error: skip`."),
            Explanation(
                "decode.utf8", [.frame],
                "A text is not UTF-8.",
                cause: """
                    The sender uses another encoding, or bytes that are not text appear where text is expected.
                    """,
                output: "error[decode.utf8]: stdin: standard input, line 1, byte 75: not UTF-8",
                remedy: "Send UTF-8. For MessagePack or raw bytes, set `decode: { format: … }`."),
            Explanation(
                "decode.binary", [.frame],
                "A file or standard input contains binary data where text is expected.",
                cause: """
                    The file is an image, an archive, text in UTF-16, or a MessagePack recording without the ending \
                    for this format.
                    """,
                output: "error[decode.binary]: stdin: standard input: a binary file, not text",
                remedy: "Check the file's name. Set `format: msgpack` for MessagePack; save text as UTF-8."),
            Explanation(
                "decode.pickle", [.frame],
                "A message is a Python pickle.",
                cause: """
                    A pickle is a program that its reader runs. A sender could use it to make the reader do anything, \
                    so pickles are never read.
                    """,
                output: """
                    error[decode.pickle]: zmq: message 1: a Python pickle, which is a program and is never run
                    """,
                remedy: """
                    Send JSON (`json.dumps`) or MessagePack (`msgpack.packb`) of plain lists and numbers; for an \
                    array, `array.astype("float32").tobytes()`, which `decode: { format: float32 }` reads.
                    """),
            Explanation(
                "decode.capacity", [.frame],
                "A message is larger than the parser can hold.",
                cause: "There is not enough memory to read this one JSON document as a whole.",
                output: "error[decode.capacity]: zmq: larger than the parser can hold",
                remedy: "Split the message into several ones."),
            Explanation(
                "decode.line_too_long", [.frame],
                "A line, or a file that is read as a whole, is too long.",
                cause: "Lines are limited so that a file without newlines does not fill the memory.",
                output: "error[decode.line_too_long]: file: session.jsonl, line 3: longer than max_line_bytes",
                remedy: "Raise `max_line_bytes` at the source if such lines are intended."),
            Explanation(
                "decode.depth", [.frame],
                "A message is nested too deep.",
                cause: "Lists and objects in it are nested deeper than any valid message.",
                output: "error[decode.depth]: file: session.jsonl, line 5, byte 1024: nested deeper than 64 levels",
                remedy: "Send the data with fewer levels."),
            Explanation(
                "decode.type", [.frame],
                "A value in a message is of the wrong type.",
                cause: """
                    For example, a number was expected and a text was found, or an object and a list. For messages of \
                    other shapes, a `decode` block gives the location of each part.
                    """,
                output: """
                    error[decode.type]: stdin: standard input, line 1, byte 53: "pts": expected a number, found a string
                    """,
                remedy: """
                    Fix the sender, or write a `decode` block. `pipectl listen` suggests one for a sender, and `pipectl info` for a file \
                    of JSON Lines.
                    """),
            Explanation(
                "decode.missing", [.frame],
                "A message lacks a part that a frame needs.",
                cause: "The key is missing or has another name, or the message contains no time.",
                output: "error[decode.missing]: stdin: standard input, line 1: the key \"t_us\" is missing",
                remedy: """
                    Add the missing key or time at the sender, or give its location in a `decode` block: `pipectl listen` suggests \
                    one for a sender, and `pipectl info` for a file of JSON Lines. For messages without a time, set \
                    `missing_time: receipt` (live) or `hz` (files).
                    """),
            Explanation(
                "decode.range", [.frame],
                "A number in a message is out of range.",
                cause: """
                    Times lie between 0 and 2^53 − 1 µs. Values outside this range are usually times in another unit \
                    than the one set, or times before the beginning.
                    """,
                output: """
                    error[decode.range]: stdin: standard input, line 1, byte 30: "t_us": a time lies between 0 \
                    and 2^53 − 1 µs
                    """,
                remedy: "Check the unit: `t_unit` sets it for messages of other shapes. Numbers must be finite."),
            Explanation(
                "decode.not_finite", [.frame],
                "A number in a MessagePack message is infinite or not a number.",
                cause: "The sender divided by zero, or represents a missing value by NaN.",
                output: "error[decode.not_finite]: zmq: message 7, byte 40: expected a finite number, found nan",
                remedy: "Let the sender leave out unknown values."),
            Explanation(
                "decode.count", [.frame],
                "There are more or fewer values than expected.",
                cause: """
                    The numbers must form whole points, every landmark of a topology must be present, and every row \
                    must have as many cells as the first. Often `fields` or `topology` does not fit the data.
                    """,
                output: """
                    error[decode.count]: stdin: standard input, line 1, byte 52: "pts": 3 numbers cannot be \
                    divided into points of 2 fields
                    """,
                remedy: """
                    Set `fields` to the numbers of a point (`xy`, `xyz`, `xyc` …) and `topology` to the landmarks in \
                    the data.
                    """),
            Explanation(
                "decode.kind", [.configuration, .frame],
                "A message, a file or a table contains a different kind of frame than the source produces.",
                cause: """
                    `kind` at the source sets the kind of its frames, but its input has another kind. In a \
                    configuration: this kind cannot be read from tables or from messages of other shapes.
                    """,
                configuration: """
                    version: 1
                    sources: [file: { path: labels.csv, kind: vector, decode: { columns: { x: 1, y: 2 } } }]
                    sinks: [discard]
                    """,
                remedy: """
                    Write the `kind` that the data has. `pipectl info FILE` shows the contents of a recording.
                    """),
            Explanation(
                "decode.version", [.frame],
                "A message has an unknown version of the format.",
                cause: """
                    The key `v` of a message is its version, and only 1 is supported. A newer program wrote it, or the \
                    key means something else.
                    """,
                output: "error[decode.version]: stdin: standard input, line 1, byte 5: \"v\": expected 1, found 2",
                remedy: "Use a newer `pipectl`, or a `decode` block if these are messages of another program."),
            Explanation(
                "decode.subject", [.frame],
                "The subject of a recognition has an unknown kind.",
                cause: "The key `subject` of a recognition contains a stroke or landmarks.",
                output: """
                    error[decode.subject]: file: results.jsonl, line 1, byte 210: expected kind "stroke" or \
                    "landmarks", found "vector"
                    """,
                remedy: "Leave the key out, or put a stroke or landmarks there."),
            Explanation(
                "decode.bits", [.frame],
                "A bitmap is not 16 hexadecimal digits.",
                cause: "An 8×8 bitmap is written as 64 bits in hexadecimal.",
                output: "error[decode.bits]: file: bitmaps.jsonl, line 4, byte 62: expected 16 hexadecimal digits",
                remedy: "Write all 16 digits, with leading zeros."),
            Explanation(
                "decode.encoding", [.frame],
                "An MCAP file contains messages in an unsupported encoding.",
                cause: """
                    Messages in JSON and MessagePack are supported. Others, such as those of ROS, in Protobuf or CDR, \
                    are not.
                    """,
                output: """
                    error[decode.encoding]: file: session.mcap: the messages of "/camera" are in cdr, which is \
                    not read
                    """,
                remedy: """
                    Name the topics to read with `streams`, or convert the file with the program that wrote it.
                    """),
            Explanation(
                "decode.none", [.defect],
                "A decoder was created without a message shape.",
                cause: "A configuration cannot cause this.",
                output: "error[decode.none]: zmq: a decoder without a shape",
                remedy: "Report it with the configuration."),
            Explanation(
                "encode.counts", [.frame],
                "A frame cannot be written because its parts do not add up.",
                cause: """
                    A stroke contains the number of points of each of its parts, but their sum is not the number of \
                    its points. A stage caused this.
                    """,
                output: """
                    error[encode.counts]: stdout: the counts of the strokes do not add up to 2, the number of samples
                    """,
                remedy: "If the stage is yours, keep counts and points together. Otherwise report it."),
            Explanation(
                "encode.not_finite", [.frame],
                "A frame cannot be written because it contains a number that is not finite.",
                cause: "JSON has no infinity and no NaN. A stage computed one, or the data contained one.",
                output: "error[encode.not_finite]: stdout: a vector holds a number that is not finite",
                remedy: """
                    Put a stage that rejects such frames before the sink, or write `on_error: skip` at the sink. If a \
                    stage of this program produced the number, report it.
                    """),
        ])
}
