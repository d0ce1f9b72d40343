import PipelineServer

/// The arguments and flags that the verbs for served runs share.
enum WatchingFlags {
    static let url = Argument("URL", "the address of the run: 127.0.0.1:7070 or http://127.0.0.1:7070")

    static let token = Flag.text("token", placeholder: "TOKEN", "The token that the server requires")

    /// Returns a client of the server that the command line names.
    static func client(_ invocation: Invocation) throws -> ServerClient {
        guard let address = ServerAddress(invocation.words[0]) else {
            throw UsageError(
                "\(invocation.words[0]) is not the address of a served run", help: "as in http://127.0.0.1:7070")
        }
        return ServerClient(address, token: invocation[token])
    }
}
