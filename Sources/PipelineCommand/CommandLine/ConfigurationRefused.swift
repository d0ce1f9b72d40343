/// Ends a command whose configuration was refused, after the findings were reported.
struct ConfigurationRefused: Error {
    let code: ExitCode
}
