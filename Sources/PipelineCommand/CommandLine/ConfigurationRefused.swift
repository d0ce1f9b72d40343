/// Ends a command whose configuration was refused, after the findings were reported.
struct ConfigurationRefused: Error {
    let code: ExitCode
    /// The first error.
    var message = "the configuration has errors"
    /// All findings, as text.
    var details = ""
}
