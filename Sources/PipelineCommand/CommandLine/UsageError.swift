/// An error in the command line, with advice on how to correct it. It ends the program with exit code 2.
struct UsageError: Error, Equatable {
    /// What is wrong, in one line without a period.
    let message: String
    /// How to correct it, one line each.
    let help: [String]

    init(_ message: String, help: String?...) {
        self.message = message
        self.help = help.compactMap { $0 }
    }
}
