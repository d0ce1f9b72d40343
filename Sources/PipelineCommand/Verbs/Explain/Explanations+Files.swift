extension Explanation {
    /// Codes about files.
    static let files = Family(
        "Files",
        [
            Explanation(
                "file.not_found", [.environment],
                "A file to be read does not exist.",
                cause: """
                    The path is wrong, or it is relative to a different folder than you expect: paths in a \
                    configuration start at the configuration's folder; those in `--set` and on the command line start \
                    at the current folder.
                    """,
                configuration: """
                    version: 1
                    sources: [synthetic]
                    stages: [match: { library: nowhere.json }]
                    sinks: [discard]
                    """,
                remedy: "Correct the path. `ls` in the folder of the configuration shows what there is."),
            Explanation(
                "file.unreadable", [.environment],
                "A file exists but cannot be read.",
                cause: "The permissions of the file forbid it, standard input is closed, or the disk reports an error.",
                output: "error[file.unreadable]: session.jsonl may not be read: Permission denied",
                remedy: "Look at the reason in the message. `ls -l` shows the permissions."),
            Explanation(
                "file.unwritable", [.environment],
                "A file cannot be written.",
                cause: """
                    The folder does not exist, its permissions forbid it, the disk is full, or a quota is used up.
                    """,
                output: "error[file.unwritable]: file: out/strokes.jsonl cannot be written: its folder does not exist",
                remedy: """
                    Create the folder, change the permissions, or free some space. With `on_error: skip` a full disk \
                    does not end a live run: the sink tries again.
                    """),
            Explanation(
                "file.damaged", [.environment],
                "A compressed file is damaged or cut off.",
                cause: """
                    The file ends too early or its checksum is wrong: it was copied only in part, or its writer was \
                    killed. A file that is damaged before its end cannot be appended to either.
                    """,
                output: "error[file.damaged]: file: session.jsonl.gz is damaged, or cut off: it cannot be unpacked",
                remedy: """
                    Copy the file again; `gzip -t` or `zstd -t` tests it. `pipectl convert` still writes the frames before \
                    the damage, and with `on_error: skip` a run reads them.
                    """),
            Explanation(
                "file.directory", [.environment],
                "A folder was given where a file is needed.",
                cause: """
                    Sources read whole folders, and `validate` checks all configurations in one. Libraries, and \
                    configurations that are run, are single files.
                    """,
                configuration: """
                    version: 1
                    sources: [synthetic]
                    stages: [match: { library: Samples }]
                    sinks: [discard]
                    """,
                remedy: "Name a file in the folder."),
            Explanation(
                "file.empty_folder", [.environment],
                "A folder contains no file that can be read.",
                cause: """
                    Only files with certain endings count, and hidden files are ignored. The help lists the endings.
                    """,
                output: "error[file.empty_folder]: file: recorded is a folder without a file to read",
                remedy: "Name another folder, or name the files with a pattern, as in `recorded/*`."),
            Explanation(
                "file.no_match", [.environment],
                "No file matches a pattern.",
                cause: """
                    The pattern is relative to the configuration's folder, or to the current folder if it was given on \
                    the command line.
                    """,
                output: "error[file.no_match]: file: no file matches recorded/2026-*.jsonl",
                remedy: """
                    Correct the pattern. `*` stands for any characters of a name, `**` for any number of folders.
                    """),
            Explanation(
                "file.exists", [.environment],
                "A file to be written already exists.",
                cause: "Files are not overwritten unless you ask for it.",
                output: "error[file.exists]: file: strokes.jsonl is already there",
                remedy: """
                    Give another path. In a configuration write `if_exists: overwrite` (or `append`); on the command \
                    line `--force`.
                    """),
            Explanation(
                "file.too_large", [.environment],
                "A file is larger than allowed for this kind of file.",
                cause: """
                    Files of this kind are read into memory as a whole, so their size is limited. Usually the wrong file was given.
                    """,
                output: "error[file.too_large]: truth.csv has more than 268435456 bytes",
                remedy: "Check the file's name. Recordings of any size are read by the source `file`."),
            Explanation(
                "file.too_many", [.frame],
                "A sink whose path has a placeholder would open too many files.",
                cause: """
                    The path contains `{stream}` or `{file}`, and each name creates its own file. This many open files \
                    would exhaust the system.
                    """,
                output: "error[file.too_many]: file: out/pen-501.jsonl would be more than 500 open files",
                remedy: "Let fewer streams share a sink, or leave the placeholder out."),
            Explanation(
                "file.no_file", [.frame],
                "The path of a sink contains `{file}`, but the file that a frame was read from is unknown.",
                cause: "Frames carry their file only if the source is configured to store it.",
                output: "error[file.no_file]: file: the frame does not say which file it was read from",
                remedy: "Write `origin: true` at the `file` source. Frames from a network have no file."),
            Explanation(
                "file.placeholder", [.configuration],
                "The path of a sink contains an unknown placeholder.",
                cause: """
                    The placeholders are `{stream}`, `{file}` and `{date}`. Any other name in braces is probably \
                    misspelled.
                    """,
                configuration: """
                    version: 1
                    sources: [synthetic]
                    sinks: [file: { path: "{steam}.jsonl" }]
                    """,
                remedy: "Use one of the three placeholders."),
            Explanation(
                "file.append", [.configuration, .environment],
                "A file cannot be appended to: an MCAP file, or a table with other columns.",
                cause: """
                    The index of an MCAP file is at its end, and readers do not find records after the index. A CSV file has the \
                    columns of one kind of frames, so its readers would not understand rows of another kind.
                    """,
                configuration: """
                    version: 1
                    sources: [synthetic]
                    sinks: [file: { path: session.mcap, if_exists: append }]
                    """,
                remedy: """
                    Write a new file each time, for example with `{date}` in the name, and join the files with `pipectl \
                    convert`.
                    """),
            Explanation(
                "file.compression", [.configuration, .warning],
                "The format of a file does not support this compression, or its name says another one.",
                cause: """
                    MCAP files are compressed in chunks with zstd or lz4. Other files are compressed as a whole with \
                    gzip or zstd, and readers recognize that by the ending of the name: `.gz` or `.zst`.
                    """,
                configuration: """
                    version: 1
                    sources: [synthetic]
                    sinks: [file: { path: session.mcap, compression: gzip }]
                    """,
                remedy: "Choose one of the compressions in the help."),
            Explanation(
                "file.format", [.configuration, .warning],
                "The name of a file says another format than the option `format`.",
                cause: "A file is read by its name, so readers would not understand this one.",
                configuration: """
                    version: 1
                    sources: [synthetic]
                    sinks: [file: { path: session.mcap, format: jsonl }]
                    """,
                remedy: "Leave `format` out, or change the name."),
            Explanation(
                "file.scene", [.configuration],
                "Scenes were requested for a file that cannot contain them.",
                cause: """
                    A scene is a drawing for Foxglove. Only MCAP files can contain scenes in addition to the frames.
                    """,
                configuration: """
                    version: 1
                    sources: [synthetic]
                    sinks: [file: { path: session.jsonl, scene: true }]
                    """,
                remedy: "End the name in `.mcap`, or leave `scene` out."),
            Explanation(
                "file.no_scene", [.configuration],
                "Scenes were requested for frames that cannot be drawn.",
                cause: """
                    Strokes, points, ink, landmarks, hands and results have scenes. Vectors and bitmaps have none.
                    """,
                configuration: """
                    version: 1
                    sources: [synthetic]
                    stages: [vectorize]
                    sinks: [file: { path: session.mcap, scene: true }]
                    """,
                remedy: "Leave `scene` out, or connect the sink to a stage whose frames can be drawn."),
            Explanation(
                "file.kind", [.configuration],
                "The format of a file contains a different kind of data than `kind`.",
                cause: "Gesture XML contains strokes. MediaPipe's text and OpenPose's JSON contain landmarks.",
                configuration: """
                    version: 1
                    sources: [file: { path: gestures/a.xml, format: xml, kind: points }]
                    sinks: [discard]
                    """,
                remedy: "Write the `kind` that the help names."),
        ])
}
