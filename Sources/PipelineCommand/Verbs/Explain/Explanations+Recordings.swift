extension Explanation {
    /// Codes about recordings.
    static let recordings = Family(
        "Recordings",
        [
            Explanation(
                "mcap.not_mcap", [.environment, .frame],
                "A file is not MCAP.",
                cause: """
                    It does not begin as MCAP files do. Its name ends in `.mcap`, and it is something else or empty.
                    """,
                output: "error[mcap.not_mcap]: session.mcap: byte 0: this is no MCAP file: it does not begin as one",
                remedy: "Check the file. `file NAME` says what it is."),
            Explanation(
                "mcap.truncated", [.environment, .frame],
                "An MCAP file ends before its end was written.",
                cause: "The program that wrote it was killed or the disk was full, or the file was copied in part.",
                output: "error[mcap.truncated]: session.mcap: byte 4096: the file ends inside a record",
                remedy: "`pipectl recover FILE -o NEW` saves every message before the break."),
            Explanation(
                "mcap.malformed", [.environment, .frame],
                "A record of an MCAP file does not hold what it must.",
                cause: "The file is damaged, or the program that wrote it has a mistake.",
                output: "error[mcap.malformed]: session.mcap: byte 812: a record is not as long as it says",
                remedy: "`pipectl recover FILE -o NEW` saves what can be read."),
            Explanation(
                "mcap.too_large", [.environment, .frame],
                "Something in an MCAP file claims to be larger than is allowed.",
                cause: "A length is damaged in most cases. Nothing of that size is read into memory.",
                output: "error[mcap.too_large]: session.mcap: byte 8: a record claims to be 1099511627776 bytes long",
                remedy: "`pipectl recover FILE -o NEW` saves what can be read."),
            Explanation(
                "mcap.checksum", [.environment, .frame],
                "Bytes of an MCAP file are not those that were written.",
                cause: """
                    The check sum of a chunk, an attachment or the summary is another: the disk or the copy damaged \
                    it.
                    """,
                output: "error[mcap.checksum]: session.mcap: byte 8192: a chunk is damaged: its checksum is another",
                remedy: "Copy it again from where it came. Otherwise `pipectl recover FILE -o NEW` saves the rest."),
            Explanation(
                "mcap.compression", [.environment, .frame],
                "A chunk of an MCAP file cannot be unpacked.",
                cause: "It is damaged, or packed in a way that is not known. zstd and lz4 are.",
                output: """
                    error[mcap.compression]: session.mcap: byte 8192: a chunk cannot be unpacked: Data \
                    corruption detected
                    """,
                remedy: "`pipectl recover FILE -o NEW` saves the other chunks."),
            Explanation(
                "mcap.no_index", [.environment, .frame],
                "An MCAP file has no index of its messages.",
                cause: """
                    Its writer was killed before it wrote the summary, or it was written without one. The messages \
                    may all be there.
                    """,
                output: "error[mcap.no_index]: session.mcap: byte 73014: the file has no summary",
                remedy: "`pipectl recover FILE -o NEW` writes it anew with an index."),
            Explanation(
                "recording.empty", [.environment],
                "A recording holds no frame.",
                cause: "The file is empty, or none of its lines is a frame.",
                output: "error[recording.empty]: session.jsonl holds no frame",
                remedy: "Check the file with `pipectl info FILE`."),
            Explanation(
                "recording.arrival", [.frame],
                "A line of a recording does not say when the frame came, and the first line does.",
                cause: """
                    The recording is replayed by the times of receipt (`recv_us`), which every line must then have. \
                    Lines of several recordings were put together.
                    """,
                output: """
                    error[recording.arrival]: camera: session.jsonl, line 812: "recv_us" is missing, which the \
                    first line has
                    """,
                remedy: "Keep recordings with and without `recv_us` apart."),
            Explanation(
                "recover.nothing", [.verdict],
                "There is nothing to save in a file.",
                cause: "Not one record of it can be read. The exit code is 1.",
                output: """
                    $ pipectl recover session.mcap -o saved.mcap
                    error[recover.nothing]: there is nothing to save in session.mcap
                    """,
                remedy: "Check that it is the right file. `pipectl info FILE` says what it is."),
            Explanation(
                "box.unfinished", [.environment],
                "A file is no recording of a run, or its end was never written.",
                cause: """
                    `replay --exact` and `verify` need a recording that `pipectl run --record` made and finished. A \
                    run that was killed leaves it unfinished.
                    """,
                output: "error[box.unfinished]: session.mcap is no recording of a run, or its end was never written",
                remedy: "Make one with `pipectl run CONFIG --record FILE` and end it with Control-C once."),
            Explanation(
                "box.damaged", [.environment, .verdict],
                "The recording of a run is not what its manifest says.",
                cause: "The file was changed after it was written, or is damaged. The run cannot be repeated exactly.",
                output: "error[box.damaged]: run.mcap is not what its manifest says: file pipeline.yaml differs",
                remedy: "`pipectl verify FILE` names everything that differs. Take the original file."),
            Explanation(
                "replay.kind", [.configuration],
                "A source brings frames of a type that no recording holds.",
                cause: """
                    The recording of a run holds the types of this program. A source that was added in Swift brings \
                    another.
                    """,
                output: "error[replay.kind]: \"weather\" sends payloads that a recording cannot hold",
                remedy: "Record what a stage makes of it, in a type that can be written."),
            Explanation(
                "golden.unreadable", [.environment],
                "A line in a file of kept results is no result.",
                cause: """
                    `pipectl test --golden` compares with results that were kept in a file. It was edited, or is \
                    another.
                    """,
                output: "error[golden.unreadable]: results.jsonl, line 3: this is no result that was kept",
                remedy: "Check the file, or write it anew with `pipectl test --golden … --update`."),
        ])
}
