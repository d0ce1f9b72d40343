/// An environment variable that the program reads.
struct EnvironmentVariable: Sendable {
    let name: String
    let meaning: String

    /// The variables that the program itself reads. A configuration can refer to these and to all others as `${NAME}`.
    static let all = [
        EnvironmentVariable(name: "NO_COLOR", meaning: "Any value that is not empty turns colors off"),
        EnvironmentVariable(
            name: "TMPDIR",
            meaning: "The folder in which replay --exact stores the files of a recorded run; /tmp if unset"),
        EnvironmentVariable(name: "TERM", meaning: "The value dumb turns off colors and lines that are overwritten"),
        EnvironmentVariable(
            name: "NOTIFY_SOCKET",
            meaning: "The socket to which run, record and replay report that they are ready, alive and stopping"),
        EnvironmentVariable(
            name: "WATCHDOG_USEC",
            meaning:
                "The interval, in microseconds, within which run, record and replay must report that they are alive"),
        EnvironmentVariable(name: "WATCHDOG_PID", meaning: "The process to which WATCHDOG_USEC applies"),
        EnvironmentVariable(
            name: "JOURNAL_STREAM",
            meaning: "If it names standard error, messages start with their priority for the journal"),
    ]
}
