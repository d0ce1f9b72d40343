extension Explanation {
    /// Codes about recordings.
    static let recordings = Family(
        "Recordings",
        [
            Explanation(
                "mcap.not_mcap", [.environment, .frame],
                "A file is not MCAP.",
                cause: """
                    The file does not start like an MCAP file. Its name ends in `.mcap`, but it is another kind of file or \
                    empty.
                    """,
                output: """
                    error[mcap.not_mcap]: session.mcap: byte 0: this is not an MCAP file: it does not start like one
                    """,
                remedy: "Check the file. `file NAME` shows its type."),
            Explanation(
                "mcap.truncated", [.environment, .frame],
                "An MCAP file ends before its end was written.",
                cause: """
                    The program that wrote it was killed or the disk was full, or the file was copied only in part.
                    """,
                output: "error[mcap.truncated]: session.mcap: byte 4096: the file ends inside a record",
                remedy: "`pipectl recover FILE -o NEW` saves every message before the break."),
            Explanation(
                "mcap.malformed", [.environment, .frame],
                "A record of an MCAP file does not have the required content.",
                cause: "The file is damaged, or the program that wrote it has a bug.",
                output: "error[mcap.malformed]: session.mcap: byte 812: a record is not as long as it says",
                remedy: "`pipectl recover FILE -o NEW` saves what can be read."),
            Explanation(
                "mcap.too_large", [.environment, .frame],
                "A length in an MCAP file exceeds the limit.",
                cause: "In most cases, the length is damaged. Data of that size is never read into memory.",
                output: "error[mcap.too_large]: session.mcap: byte 8: a record claims to be 1099511627776 bytes long",
                remedy: "`pipectl recover FILE -o NEW` saves what can be read."),
            Explanation(
                "mcap.checksum", [.environment, .frame],
                "Bytes of an MCAP file were changed after it was written.",
                cause: """
                    The checksum of a chunk, an attachment or the summary does not match: the disk or a copy damaged \
                    it.
                    """,
                output:
                    "error[mcap.checksum]: session.mcap: byte 8192: a chunk is damaged: its checksum does not match",
                remedy: "Copy the file again from its origin. Otherwise `pipectl recover FILE -o NEW` saves the rest."),
            Explanation(
                "mcap.compression", [.environment, .frame],
                "A chunk of an MCAP file cannot be decompressed.",
                cause: "The chunk is damaged, or its compression is not supported. zstd and lz4 are supported.",
                output: """
                    error[mcap.compression]: session.mcap: byte 8192: a chunk cannot be unpacked: Data \
                    corruption detected
                    """,
                remedy: "`pipectl recover FILE -o NEW` saves the other chunks."),
            Explanation(
                "mcap.no_index", [.environment, .frame],
                "An MCAP file has no index of its messages.",
                cause: """
                    Its writer was killed before it wrote the summary, or writes no summaries. All messages may \
                    still be intact.
                    """,
                output: "error[mcap.no_index]: session.mcap: byte 73014: the file has no summary",
                remedy: "`pipectl recover FILE -o NEW` writes it again with an index."),
            Explanation(
                "recording.empty", [.environment],
                "A recording contains no frame.",
                cause: "The file is empty, or contains no line with a frame.",
                output: "error[recording.empty]: session.jsonl holds no frame",
                remedy: "Check the file with `pipectl info FILE`."),
            Explanation(
                "recording.pipe", [.configuration],
                "A recording is a pipe or a device instead of a file.",
                cause: """
                    The command reads the recording several times, for example to find the kind of its frames first. A \
                    pipe gives its data only once.
                    """,
                output: "error[recording.pipe]: /dev/stdin is a pipe or a device, which can be read only once",
                remedy:
                    "Write its data to a file first. `convert` and `info` also read a pipe if `--kind` names the kind."),
            Explanation(
                "recording.arrival", [.frame],
                "A line of a recording has no time of receipt, but the first line has one.",
                cause: """
                    The recording is replayed by the times of receipt (`recv_us`), so every line must have one. Lines \
                    of several recordings were joined.
                    """,
                output: """
                    error[recording.arrival]: camera: session.jsonl, line 812: "recv_us" is missing, but the \
                    first line has it
                    """,
                remedy: "Keep recordings with and without `recv_us` apart."),
            Explanation(
                "convert.incomplete", [.verdict],
                "The output of `convert` lacks a part of its input.",
                cause: """
                    A message of the input could not be read, a part of an MCAP file is damaged, or its end is missing. Or \
                    the input has more streams than an MCAP file can have. The output has everything else. The exit \
                    code is 1.
                    """,
                output: """
                    $ pipectl convert session.mcap session.jsonl
                    error[convert.incomplete]: the end of 1 input is missing
                    """,
                remedy:
                    "Copy the file again from its origin. `pipectl recover` says which parts of an MCAP file are lost."),
            Explanation(
                "convert.overlap", [.warning],
                "Several inputs of `convert` have frames of one stream at overlapping times.",
                cause: """
                    The recordings are merged by time, so the frames of different senders with one name alternate in one stream. \
                    If two of them have the same time, a pipeline that reads the output ends with `source.disorder`.
                    """,
                output: """
                    $ pipectl convert a.jsonl b.jsonl both.jsonl
                    warning[convert.overlap]: several inputs have frames of the stream "pen" at overlapping times
                    """,
                remedy: """
                    Give the stream of each recording its own name: `rename_streams` of the source `file`. Or read the output \
                    with `on_disorder: clamp`.
                    """),
            Explanation(
                "file.array", [.environment],
                "A JSON array was given where JSON Lines are read.",
                cause: "JSON Lines have one object per line. The file is one array that contains the objects.",
                output: "error[file.array]: session.json is one JSON array, not JSON Lines",
                remedy: "Write the elements of the array on lines of their own: `jq -c '.[]' FILE > FILE.jsonl`."),
            Explanation(
                "file.document", [.environment],
                "A JSON object over several lines was given where JSON Lines are read.",
                cause: """
                    JSON Lines have each object on one line. The file was written for people, with a line for each value.
                    """,
                output: "error[file.document]: session.json is one JSON document over several lines, not JSON Lines",
                remedy: """
                    Write the object on one line: `jq -c . FILE > FILE.jsonl`. A file of OpenPose can have any form with \
                    `format: openpose`.
                    """),
            Explanation(
                "file.pipeline", [.environment],
                "A pipeline was given where data is read.",
                cause: "The name of the file ends in `.yaml` or `.yml`. No data has such a name.",
                output: "error[file.pipeline]: strokes.yaml is a pipeline, not data",
                remedy: "Name a file of data. `pipectl run FILE` runs a pipeline."),
            Explanation(
                "file.library", [.environment],
                "A gesture library was given where a recording is read.",
                cause: """
                    A recording has one frame per line; a library is one JSON document with the samples of gestures. A folder \
                    that is read as a recording must not contain a library.
                    """,
                output: "error[file.library]: shapes.json is a gesture library, not a recording",
                remedy: """
                    `pipectl gestures list FILE` shows what the library has, `pipectl eval FILE` evaluates it, and `match` \
                    takes it as its `library`.
                    """),
            Explanation(
                "recover.nothing", [.verdict],
                "There is nothing to save in a file.",
                cause: "No record of the file can be read. The exit code is 1.",
                output: """
                    $ pipectl recover session.mcap -o saved.mcap
                    error[recover.nothing]: there is nothing to save in session.mcap
                    """,
                remedy: "Check that the right file was given. `pipectl info FILE` shows what the file is."),
            Explanation(
                "box.unfinished", [.environment],
                "A file is not the recording of a run, or its end was never written.",
                cause: """
                    `replay --exact` and `verify` need a recording that `pipectl run --record` wrote and finished. A \
                    run that was killed leaves the recording unfinished.
                    """,
                output: "error[box.unfinished]: session.mcap is not a recording of a run, or its end was never written",
                remedy:
                    "Create a recording with `pipectl run CONFIG --record FILE`, and end the run with a single Control-C."
            ),
            Explanation(
                "box.damaged", [.environment, .verdict],
                "The recording of a run does not match its manifest.",
                cause: "The file was changed after it was written, or is damaged. The run cannot be repeated exactly.",
                output: "error[box.damaged]: run.mcap does not match its manifest: file pipeline.yaml differs",
                remedy: "`pipectl verify FILE` names everything that differs. Use the original file."),
            Explanation(
                "replay.kind", [.configuration],
                "A source produces frames of a type that no recording can contain.",
                cause: """
                    The recording of a run can contain the types of this program. A source that was added in Swift \
                    produces another type.
                    """,
                output: "error[replay.kind]: \"weather\" emits frames that a recording cannot hold",
                remedy: "Record the output of a stage after it, in a type that can be written."),
            Explanation(
                "golden.unreadable", [.environment],
                "A line in a file of stored results is not a result.",
                cause: """
                    `pipectl test --golden` compares with results stored in a file. The file was edited, or is the \
                    wrong one.
                    """,
                output: "error[golden.unreadable]: results.jsonl, line 3: this line is not a stored result",
                remedy: "Check the file, or write it again with `pipectl test --golden … --update`."),
        ])
}
