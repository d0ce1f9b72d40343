extension Explanation {
    /// Codes about inspecting a run from outside.
    static let serving = Family(
        "Served runs",
        [
            Explanation(
                "serve.no_token", [.configuration],
                """
                A run would be served to other machines without a token, so that anyone there could inspect and \
                stop it.
                """,
                cause: """
                    Other machines can reach an address other than `127.0.0.1` and `::1`. They must then present a \
                    token.
                    """,
                configuration: """
                    version: 1
                    sources: [synthetic]
                    sinks: [discard]
                    serve: { address: "0.0.0.0:7070" }
                    """,
                remedy: """
                    Serve at `127.0.0.1:7070`, or add `token:` with at least 16 letters and digits; `token: \
                    "${PIPELINE_TOKEN}"` reads it from the environment.
                    """),
            Explanation(
                "serve.token_weak", [.configuration],
                "A token can be guessed, or cannot be sent.",
                cause: """
                    A token has at least 16 characters, and only characters that a cookie can contain: ASCII characters other \
                    than spaces, quotation marks, commas, semicolons and backslashes.
                    """,
                configuration: """
                    version: 1
                    sources: [synthetic]
                    sinks: [discard]
                    serve: { address: "0.0.0.0:7070", token: secret }
                    """,
                remedy: "Use the output of `openssl rand -hex 16`."),
            Explanation(
                "serve.no_address", [.configuration],
                "A server was created in Swift without an address.",
                cause: "`ServeOptions` were created without an address and passed to `RunServer`.",
                output: "there is no address to serve at [serve.no_address]",
                remedy: "Create the options with `ServeOptions(address)`."),
            Explanation(
                "server.bind", [.environment],
                "A run cannot be served at an address.",
                cause: "Another program listens on that port, or the machine does not have that address.",
                output: "error[server.bind]: cannot listen on 127.0.0.1:7070",
                remedy: "Use another port, or 0 for a free one: the first message names it."),
            Explanation(
                "server.unreachable", [.environment],
                "No server answers at the address of a served run.",
                cause: "The run has ended, is not served, or is served at another address or port.",
                output: "error[server.unreachable]: nobody answers at 127.0.0.1:7070: Connection refused",
                remedy: "Start it with `--serve`; its first message names the address."),
            Explanation(
                "server.gone", [.environment],
                "A served run has ended the connection.",
                cause: """
                    The run has ended, it has reached its limit of connections, or a message sent to it was too long.
                    """,
                output: "error[server.gone]: 127.0.0.1:7070 has ended the connection",
                remedy: "Check whether it still runs. It accepts 64 connections at a time."),
            Explanation(
                "server.refused", [.environment],
                "A served run has refused a request of a command.",
                cause: """
                    The token is missing or wrong, the request uses a host name that the server does not know, or another \
                    program answers at the address.
                    """,
                output: "error[server.refused]: 127.0.0.1:7070 answers 401: this server requires its token",
                remedy: "Give the token with `--token`, and use the address at which the run is served."),
            Explanation(
                "server.no_such_node", [.configuration],
                "The run does not have the node to be watched.",
                cause: "Nodes are watched by their `id`. Stages inside `each` cannot be watched.",
                output: "error[server.no_such_node]: there is no node mach that can be watched",
                remedy: "`pipectl top` lists the nodes of a run."),
            Explanation(
                "server.host", [.answer],
                "A request uses a host name that the server does not know (status 403).",
                cause: """
                    The header `Host` names neither the server's address nor `localhost`. Another site may have mapped its \
                    own name to this machine, so other names are refused.
                    """,
                output: "this server is not known under that name [server.host]",
                remedy: "Use the server's address. Behind a proxy, add the proxy's name to `hosts` in `serve:`."),
            Explanation(
                "server.origin", [.answer],
                "A page of another site sent a request (status 403).",
                cause: """
                    A browser names the site of the page in `Origin`. Only pages of the server itself are allowed.
                    """,
                output: "a page of another site may not send this request [server.origin]",
                remedy: "Send the request from a program, or from the server's own page."),
            Explanation(
                "server.token", [.answer],
                "A server requires its token (status 401).",
                cause: "The server has a token, and the request has none, or a different one.",
                output: "this server requires its token [server.token]",
                remedy: "Open `/?token=…` in the browser once. Programs send `Authorization: Bearer …`."),
            Explanation(
                "server.no_such_page", [.answer],
                "A path does not exist (status 404).",
                cause: "A server has the page itself and the paths under `/api/`; it never reads files.",
                output: "there is nothing here [server.no_such_page]",
                remedy: "`Documentation/Watching.md` lists the paths."),
            Explanation(
                "server.method", [.answer],
                "A path does not support the method of a request (status 405).",
                cause: "Data is read with GET; `/api/stop` and `/api/reload` require POST.",
                output: "this path does not support the method [server.method]",
                remedy: "Use GET to read, and POST to stop or reload."),
            Explanation(
                "server.length", [.answer],
                "A request does not contain the length of its body (status 411).",
                cause: "Chunked bodies may have any length, so they are not accepted.",
                output: "a request must give the length of its body in Content-Length [server.length]",
                remedy: "Send `Content-Length`. No request here needs a body."),
            Explanation(
                "server.body", [.answer],
                "The body of a request is too long (status 413).",
                cause: "A body has at most 1 MiB.",
                output: "a request's body has at most 1048576 bytes [server.body]",
                remedy: "Send no body: no request here needs one."),
            Explanation(
                "server.query", [.answer],
                "The query after `?` cannot be read (status 400).",
                cause: "The value of a parameter is not one of those that the message lists.",
                output:
                    "id, from_ms, to_ms and limit are whole numbers, limit from 1; keep is oldest or newest; node is an id [server.query]",
                remedy: "Write whole numbers, and the ids in `/api/state`: `/api/kept?node=match&limit=10`."),
            Explanation(
                "server.busy", [.answer],
                "Too many clients ask for the reason of a result at the same time (status 503).",
                cause: "Each such request runs a part of the pipeline again; four are processed at a time.",
                output: "too many explanations are being computed [server.busy]",
                remedy: "Try again in a moment."),
            Explanation(
                "server.message", [.answer],
                "A message to the WebSocket cannot be read.",
                cause: "A message is a JSON object with `op`: `watch`, `state`, `events` or `ping`.",
                output: "a message must be a JSON object with the key op [server.message]",
                remedy: "Send a message such as `{\"op\":\"watch\",\"nodes\":[\"match\"]}`."),
            Explanation(
                "server.no_reload", [.answer],
                "A run was asked to reload its configuration but does not support this (status 501).",
                cause: "The server was created without a way to reload.",
                output: "this run does not support reloads of its configuration [server.no_reload]",
                remedy: "End the run with `POST /api/stop`, and start it again."),
        ])
}
