extension Explanation {
    /// Codes of the findings of `pipectl doctor`.
    static let doctor = Family(
        "The machine",
        [
            Explanation(
                "doctor.clock", [.warning, .environment],
                "A clock is wrong.",
                cause: """
                    The time of day was never set, is not synchronized with other clocks, or the monotonic clock went \
                    back. Runs measure time with the monotonic clock; recordings and logs are dated with the time of \
                    day.
                    """,
                output:
                    "! time  is not synchronized with other clocks: it will drift, and may jump when it is set [doctor.clock]",
                remedy: "Enable NTP: `timedatectl set-ntp true`. In a container, the host sets the clock."),
            Explanation(
                "doctor.disk", [.warning],
                "The disk of an output is nearly full.",
                cause: "Less than 1 GB is free on that disk.",
                output: "! /var/lib/pipeline  320 MB are free on its disk [doctor.disk]",
                remedy: """
                    Free some space, or write elsewhere. With `record --split-duration`, the oldest files can be \
                    deleted while the recording continues.
                    """),
            Explanation(
                "doctor.file", [.environment],
                "A file that a pipeline names cannot be read or written.",
                cause: """
                    The file or its folder does not exist; the current user lacks the permission; or a sink that does \
                    not overwrite files would write an existing one. Run the check as the user who will run the pipeline.
                    """,
                output:
                    "✗ out/strokes.jsonl  \"file\" writes it, and the folder out is not there [doctor.file]",
                remedy: "Create the folder, or give the user the permission, as the help shows."),
            Explanation(
                "doctor.library", [.warning, .environment],
                "A library lacks a feature that pipelines may need.",
                cause: "The library was built without an optional part, or finds no source of random numbers.",
                output: "! libzmq  4.3.4, without CURVE: keys cannot be used [doctor.library]",
                remedy: "Install the library from Debian or Homebrew."),
            Explanation(
                "doctor.name", [.warning],
                "A pipeline connects to a machine by a name that cannot be resolved.",
                cause: "The name is mistyped, or the name service (DNS) is not reachable now.",
                output:
                    "! tcp://camera.lab:5556  \"pen\" connects to it, and the name camera.lab cannot be resolved now [doctor.name]",
                remedy: """
                    Correct the name, or use a numeric address. A run starts anyway, and looks the name up again until \
                    it is resolved.
                    """),
            Explanation(
                "doctor.open_files", [.warning],
                "The process may have only a few files and connections open at once.",
                cause: """
                    The limit is below 1,024. Each ZeroMQ connection uses one, and so does each file of an output for \
                    many streams.
                    """,
                output: "! open files  at most 256 [doctor.open_files]",
                remedy: "Raise the limit: `ulimit -n 4096` in the shell, `LimitNOFILE=4096` in a systemd unit."),
        ])
}
