extension Explanation {
    /// Codes about files.
    static let files = Family(
        "Files",
        [
            Explanation(
                "file.not_found", [.environment],
                "A file that is to be read is not there.",
                cause: """
                    The path is wrong, or it is relative to another folder than you think: paths in a configuration \
                    start at the configuration's folder, those of `--set` and of the command line at the current \
                    one.
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
                "A file is there and cannot be read.",
                cause: "Its permissions forbid it, standard input is closed, or the disk reports an error.",
                output: "error[file.unreadable]: session.jsonl may not be read: Permission denied",
                remedy: "Look at the reason in the message. `ls -l` shows the permissions."),
            Explanation(
                "file.unwritable", [.environment],
                "A file cannot be written.",
                cause: "The folder is not there, its permissions forbid it, the disk is full, or a quota is used up.",
                output: "error[file.unwritable]: file: out/strokes.jsonl cannot be written: No such file or directory",
                remedy: """
                    Make the folder, change the permissions, or make room. With `on_error: skip` a full disk does \
                    not end a live run: the sink tries again.
                    """),
            Explanation(
                "file.damaged", [.environment],
                "A packed file is damaged or cut off.",
                cause: """
                    The file ends too early or its check sum is wrong: it was copied in part, or its writer was \
                    killed.
                    """,
                output: "error[file.damaged]: file: session.jsonl.gz is damaged, or cut off: it cannot be unpacked",
                remedy: """
                    Copy it again; `gzip -t` or `zstd -t` tests it. `gzip -dc` or `zstd -dc` still writes what comes \
                    before the damage.
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
                "A folder has no file that could be read.",
                cause: "Only files with certain endings count, and hidden ones do not. The help lists the endings.",
                output: "error[file.empty_folder]: file: recorded is a folder without a file to read",
                remedy: "Give another folder, or name the files with a pattern, as in `recorded/*`."),
            Explanation(
                "file.no_match", [.environment],
                "No file fits a pattern.",
                cause: """
                    The pattern is looked for from the configuration's folder, or from the current folder where it \
                    was given on the command line.
                    """,
                output: "error[file.no_match]: file: no file fits recorded/2026-*.jsonl",
                remedy: """
                    Correct the pattern. `*` stands for any characters of a name, `**` for any number of folders.
                    """),
            Explanation(
                "file.exists", [.environment],
                "A file that is to be written is already there.",
                cause: "Nothing is written over unless you say so.",
                output: "error[file.exists]: file: strokes.jsonl is already there",
                remedy: """
                    Give another path. In a configuration write `if_exists: overwrite` (or `append`); on the command \
                    line `--force`.
                    """),
            Explanation(
                "file.too_large", [.environment],
                "A file is larger than this kind of file may be.",
                cause: """
                    It is read as a whole into memory, so its size has a limit. Usually it is another file than was \
                    meant.
                    """,
                output: "error[file.too_large]: truth.csv has more than 268435456 bytes",
                remedy: "Check the file's name. Recordings of any size are read by the source `file`."),
            Explanation(
                "file.too_many", [.frame],
                "A sink whose path has a placeholder would open too many files.",
                cause: """
                    The path has `{stream}` or `{file}` in it, and each name makes a file of its own. So many open \
                    files would exhaust the system.
                    """,
                output: "error[file.too_many]: file: out/pen-501.jsonl would be more than 500 open files",
                remedy: "Let fewer streams share a sink, or leave the placeholder out."),
            Explanation(
                "file.no_file", [.frame],
                "A frame does not say which file it was read from, and the path of a sink has `{file}` in it.",
                cause: "Frames know their file only where the source is told to keep it.",
                output: "error[file.no_file]: file: the frame does not say which file it was read from",
                remedy: "Write `origin: true` at the `file` source. Frames that come over a network have no file."),
            Explanation(
                "file.placeholder", [.configuration],
                "The path of a sink has a placeholder that is not a placeholder.",
                cause: """
                    `{stream}`, `{file}` and `{date}` are known. Another name between braces is most likely \
                    misspelled.
                    """,
                configuration: """
                    version: 1
                    sources: [synthetic]
                    sinks: [file: { path: "{steam}.jsonl" }]
                    """,
                remedy: "Use one of the three."),
            Explanation(
                "file.append", [.configuration],
                "An MCAP file cannot be added to.",
                cause: "Its index is at its end, and records behind the end are not found.",
                configuration: """
                    version: 1
                    sources: [synthetic]
                    sinks: [file: { path: session.mcap, if_exists: append }]
                    """,
                remedy: """
                    Write another file each time, as with `{date}` in the name, and join them with `pipectl \
                    convert`.
                    """),
            Explanation(
                "file.compression", [.configuration],
                "The format of a file does not go with this compression.",
                cause: """
                    MCAP files are packed in chunks with zstd or lz4. Other files are packed as a whole with gzip or \
                    zstd.
                    """,
                configuration: """
                    version: 1
                    sources: [synthetic]
                    sinks: [file: { path: session.mcap, compression: gzip }]
                    """,
                remedy: "Choose one of the compressions in the help."),
            Explanation(
                "file.scene", [.configuration],
                "Scenes were asked for in a file that cannot hold them.",
                cause: "A scene is what Foxglove draws. Only MCAP files hold scenes beside the frames.",
                configuration: """
                    version: 1
                    sources: [synthetic]
                    sinks: [file: { path: session.jsonl, scene: true }]
                    """,
                remedy: "End the name in `.mcap`, or leave `scene` out."),
            Explanation(
                "file.no_scene", [.configuration],
                "Scenes were asked for of frames that cannot be drawn.",
                cause: """
                    Strokes, points, ink, landmarks, hands and results have scenes. Vectors and bitmaps have none.
                    """,
                configuration: """
                    version: 1
                    sources: [synthetic]
                    stages: [vectorize]
                    sinks: [file: { path: session.mcap, scene: true }]
                    """,
                remedy: "Leave `scene` out, or let the sink take from a stage whose frames can be drawn."),
            Explanation(
                "file.kind", [.configuration],
                "The format of a file holds other data than `kind` says.",
                cause: "Gesture XML holds strokes. MediaPipe's text and OpenPose's JSON hold landmarks.",
                configuration: """
                    version: 1
                    sources: [file: { path: gestures/a.xml, format: xml, kind: points }]
                    sinks: [discard]
                    """,
                remedy: "Write the `kind` that the help names."),
        ])
}
