/// A command line that cannot be understood, said so that it can be mended. Ends with exit code 2.
struct UsageError: Error, Equatable {
    /// What is wrong, in one line without a full stop.
    let message: String
    /// How to mend it, a line each.
    let help: [String]

    init(_ message: String, help: String?...) {
        self.message = message
        self.help = help.compactMap { $0 }
    }
}
