import Connectors
import Pipeline
import PipelineComponents
import PipelineConfiguration
import PipelineServer
import Stages

/// The flags of `run` that let clients inspect the run over HTTP while it is in progress.
enum ServeFlags {
    static let serve = Flag<ServeAddress>.parsed(
        "serve", placeholder: "ADDRESS", wanted: ServeAddress.wanted, defaultText: "serve: in CONFIG",
        "Lets a browser and other programs inspect the run at ADDRESS, as in 127.0.0.1:7070"
    ) { ServeAddress($0) }

    static let token = Flag.text(
        "serve-token", placeholder: "TOKEN",
        "The token that clients must present; required if other machines can reach ADDRESS")

    static let keep = Flag.toggle(
        "keep-serving", "Keeps serving after the run has ended, until an interrupt")

    /// Returns the options of the server, with the address in the command line or, without one, in the configuration; `nil` if
    /// neither names an address.
    ///
    /// - Throws: A usage error if a flag has no effect because the run is not served, or if the token is weak or missing.
    static func options(_ loaded: LoadedConfiguration, _ invocation: Invocation) throws -> ServeOptions? {
        var options = loaded.serve
        if let address = invocation[serve] {
            options = options ?? ServeOptions(address)
            options?.address = address
        }
        guard var options else {
            let other = invocation[token] != nil ? token.description : invocation[keep] ? keep.description : nil
            guard let other else { return nil }
            throw UsageError(
                "--\(other.name) has an effect only if the run is served", help: "add --serve 127.0.0.1:7070")
        }
        if let given = invocation[token] { options.token = given }
        if let problem = options.problem { throw UsageError(problem.message, help: problem.help) }
        return options
    }

    /// Returns a server that already listens.
    static func server(
        for plan: Plan, at options: ServeOptions, _ loaded: LoadedConfiguration, _ invocation: Invocation
    ) throws -> RunServer {
        try RunServer(
            plan, at: options,
            identity: RunIdentity(
                name: plan.name, file: invocation.words[0], program: (invocation.tool.name, invocation.tool.version),
                configuration: "sha256:" + SHA256.hex(loaded.text?.whole.utf8 ?? "".utf8)))
    }

    /// Closes the server after the run has ended. With `--keep-serving`, first waits for an interrupt.
    static func end(
        _ server: RunServer, unless interrupted: StopSignal, _ invocation: Invocation, _ console: Console
    ) async {
        if invocation[keep], !interrupted.isRequested {
            console.say("the run has ended; it is still served at \(server.address) until you interrupt")
            await server.untilStopped(or: interrupted)
        }
        await server.close()
    }
}
