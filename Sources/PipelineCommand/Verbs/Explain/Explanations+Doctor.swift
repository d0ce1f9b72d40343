extension Explanation {
    /// Codes of the findings of `pipectl doctor`.
    static let doctor = Family(
        "The machine",
        [
            Explanation(
                "doctor.clock", [.warning, .environment],
                "A clock does not show what it should.",
                cause: """
                    The time of day has never been set, is not compared with other clocks, or the clock that only goes forward has gone \
                    back. Runs measure by the last; recordings and logs are dated with the first.
                    """,
                output:
                    "! time  is not synchronized with other clocks: it will drift, and may jump when it is set [doctor.clock]",
                remedy: "Switch on NTP: `timedatectl set-ntp true`. In a container, the host sets the clock."),
            Explanation(
                "doctor.disk", [.warning],
                "The disk that something is written to is nearly full.",
                cause: "Less than 1 GB is free there.",
                output: "! /var/lib/pipeline  320 MB are free on its disk [doctor.disk]",
                remedy: """
                    Make room, or write elsewhere. `record --split-duration` makes files of which the oldest can be deleted while it goes on.
                    """),
            Explanation(
                "doctor.file", [.environment],
                "A file that a pipeline names cannot be read or written.",
                cause:
                    "It, or its folder, is not there; the user who asks may not do so; or an output that writes over nothing is there already. Ask as the user who will run the pipeline.",
                output:
                    "✗ out/strokes.jsonl  \"file\" writes it, and the folder out is not there [doctor.file]",
                remedy: "Make the folder, or give the user the right, as the line below says."),
            Explanation(
                "doctor.library", [.warning, .environment],
                "A library cannot do all that pipelines may ask of it.",
                cause: "It was built without a part that is optional, or finds no random numbers.",
                output: "! libzmq  4.3.4, without CURVE: keys cannot be used [doctor.library]",
                remedy: "Install the library from Debian or Homebrew."),
            Explanation(
                "doctor.name", [.warning],
                "A pipeline connects to a machine by a name that nobody knows.",
                cause: "The name is mistyped, or the service that knows names (DNS) cannot be asked now.",
                output:
                    "! tcp://camera.lab:5556  \"pen\" connects to it, and nobody knows the name camera.lab now [doctor.name]",
                remedy: """
                    Correct the name, or write the address in numbers. A run begins all the same, and looks the name up again until it is known.
                    """),
            Explanation(
                "doctor.open_files", [.warning],
                "The process may have few files and connections open at once.",
                cause:
                    "The limit is below 1,024. Each connection of ZeroMQ takes one, and each file of an output for many streams.",
                output: "! open files  at most 256 [doctor.open_files]",
                remedy: "`ulimit -n 4096` in the shell, `LimitNOFILE=4096` in a unit of systemd."),
        ])
}
