/// Ends a command whose configuration was refused, when the findings have been said.
struct ConfigurationRefused: Error {
    let code: ExitCode
}
