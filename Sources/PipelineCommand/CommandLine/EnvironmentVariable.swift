/// An environment variable that the program reads.
struct EnvironmentVariable: Sendable {
    let name: String
    let meaning: String

    /// All of them. A pipeline may use others: `${NAME}`.
    static let all = [
        EnvironmentVariable(name: "NO_COLOR", meaning: "Anything in it turns colours off"),
        EnvironmentVariable(
            name: "TMPDIR", meaning: "Where replay --exact puts the files of a recorded run; /tmp without it"),
        EnvironmentVariable(name: "TERM", meaning: "dumb turns colours and lines that are written over off"),
        EnvironmentVariable(
            name: "NOTIFY_SOCKET", meaning: "Where run, record and replay say that they are ready, alive and stopping"),
        EnvironmentVariable(
            name: "WATCHDOG_USEC", meaning: "How often, in microseconds, they must say that they are alive"),
        EnvironmentVariable(name: "WATCHDOG_PID", meaning: "The process that is meant by WATCHDOG_USEC"),
        EnvironmentVariable(
            name: "JOURNAL_STREAM",
            meaning: "If it names standard error, messages begin with their priority for the journal"),
    ]
}
