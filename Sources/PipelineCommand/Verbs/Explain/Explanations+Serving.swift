extension Explanation {
    /// Codes about inspecting a run from outside.
    static let serving = Family(
        "Runs that are served",
        [
            Explanation(
                "serve.no_token", [.configuration],
                "A run would be served to other machines, and anybody there could look into it and stop it.",
                cause: """
                    An address other than `127.0.0.1` and `::1` can be reached by others. They must know a token then.
                    """,
                configuration: """
                    version: 1
                    sources: [synthetic]
                    sinks: [discard]
                    serve: { address: "0.0.0.0:7070" }
                    """,
                remedy: """
                    Serve at `127.0.0.1:7070`, or add `token:` with at least 16 letters and digits; \
                    `token: "${PIPELINE_TOKEN}"` takes it from the environment.
                    """),
            Explanation(
                "serve.token_weak", [.configuration],
                "A token can be guessed, or cannot be sent.",
                cause: "A token has at least 16 characters, and none but those that a header can hold: no blanks.",
                configuration: """
                    version: 1
                    sources: [synthetic]
                    sinks: [discard]
                    serve: { address: "0.0.0.0:7070", token: secret }
                    """,
                remedy: "Take what `openssl rand -hex 16` writes."),
            Explanation(
                "serve.no_address", [.configuration],
                "A server is made in Swift without an address.",
                cause: "`ServeOptions` were made without an address and handed to `RunServer`.",
                output: "there is no address to serve at [serve.no_address]",
                remedy: "Make them with `ServeOptions(address)`."),
            Explanation(
                "server.bind", [.environment],
                "A run cannot be served at an address.",
                cause: "Another program listens at that port, or the machine does not have that address.",
                output: "error[server.bind]: cannot listen on 127.0.0.1:7070",
                remedy: "Take another port, or 0 for one that is free: the first message says which it is."),
            Explanation(
                "server.unreachable", [.environment],
                "Nobody answers at the address of a served run.",
                cause: "The run has ended, is not served, or is served at another address or port.",
                output: "error[server.unreachable]: nobody answers at 127.0.0.1:7070: Connection refused",
                remedy: "Start it with `--serve`; its first message names the address."),
            Explanation(
                "server.gone", [.environment],
                "A served run has ended the connection.",
                cause: "It has ended, it has as many connections as it takes, or what it was sent was too long.",
                output: "error[server.gone]: 127.0.0.1:7070 has ended the connection",
                remedy: "Look whether it still runs. It takes 64 connections at a time."),
            Explanation(
                "server.refused", [.environment],
                "A served run has refused what a command asked for.",
                cause: "The token is missing or wrong, or the server is asked for under a name that it does not know.",
                output: "error[server.refused]: 127.0.0.1:7070 answers 401: this server wants its token",
                remedy: "Give the token with `--token`, and ask for the address that the run was served at."),
            Explanation(
                "server.no_such_node", [.environment],
                "A node is to be watched that the run does not have.",
                cause: "Nodes are watched by their `id`. Stages inside `each` cannot be watched.",
                output: "error[server.no_such_node]: there is no node mach that can be watched",
                remedy: "`pipectl top` lists the nodes of a run."),
            Explanation(
                "server.host", [.answer],
                "A server is asked for under a name that it does not know (status 403).",
                cause: """
                    The header `Host` names neither its address nor `localhost`. A page of another site may have given a name \
                    of its own to this machine, so other names are refused.
                    """,
                output: "this server is not known under that name [server.host]",
                remedy: "Ask for the address. Behind a proxy, add the proxy's name to `hosts` in `serve:`."),
            Explanation(
                "server.origin", [.answer],
                "A page of another site asks a server (status 403).",
                cause: "A browser says in `Origin` which site's page asks. Only pages of the server itself may.",
                output: "a page of another site may not ask this [server.origin]",
                remedy: "Ask from a program, or from the page that the server itself has."),
            Explanation(
                "server.token", [.answer],
                "A server wants its token (status 401).",
                cause: "It was given a token, and the request has none, or another.",
                output: "this server wants its token [server.token]",
                remedy: "Open `/?token=…` in the browser once. Programs send `Authorization: Bearer …`."),
            Explanation(
                "server.no_such_page", [.answer],
                "There is nothing at a path (status 404).",
                cause: "A server has the page itself and the paths below `/api/`; it never reads files.",
                output: "there is nothing here [server.no_such_page]",
                remedy: "`Documentation/Watching.md` lists the paths."),
            Explanation(
                "server.method", [.answer],
                "A path is asked in a way that it does not know (status 405).",
                cause: "What is looked at is asked by GET; `/api/stop` and `/api/reload` by POST.",
                output: "that cannot be done here [server.method]",
                remedy: "Use GET to look and POST to stop or reload."),
            Explanation(
                "server.length", [.answer],
                "A request does not say how long its body is (status 411).",
                cause: "Bodies in chunks may be of any length, so they are not taken.",
                output: "a request says beforehand how many bytes its body has [server.length]",
                remedy: "Send `Content-Length`. No request here needs a body."),
            Explanation(
                "server.body", [.answer],
                "The body of a request is too long (status 413).",
                cause: "A body has at most a megabyte.",
                output: "a request's body has at most 1048576 bytes [server.body]",
                remedy: "Send none: no request here needs a body."),
            Explanation(
                "server.query", [.answer],
                "What stands behind `?` cannot be read (status 400).",
                cause: "A number is expected, and something else is there.",
                output: "id, from_ms, to_ms and limit are whole numbers [server.query]",
                remedy: "Write whole numbers: `/api/kept?limit=10`."),
            Explanation(
                "server.busy", [.answer],
                "Too many ask at a time why a result is what it is (status 503).",
                cause: "Each such question runs a part of the pipeline again; four are answered at a time.",
                output: "others are asking why [server.busy]",
                remedy: "Ask again in a moment."),
            Explanation(
                "server.message", [.answer],
                "A message to the WebSocket cannot be read.",
                cause: "A message is a JSON object with `op`: `watch`, `state`, `events` or `ping`.",
                output: "a message is a JSON object with op [server.message]",
                remedy: "Send one such as `{\"op\":\"watch\",\"nodes\":[\"match\"]}`."),
            Explanation(
                "server.no_reload", [.answer],
                "A run that cannot do so is asked to read its configuration again (status 501).",
                cause: "Nobody has told the server how to.",
                output: "this run does not read its configuration again [server.no_reload]",
                remedy: "End the run with `POST /api/stop`, and start it again."),
        ])
}
