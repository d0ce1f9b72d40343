extension Explanation {
    /// Codes about ZeroMQ addresses and sockets.
    static let sockets = Family(
        "ZeroMQ: addresses and sockets",
        [
            Explanation(
                "zmq.bad_endpoint", [.configuration, .environment],
                "An endpoint has the wrong syntax, or cannot be used in this way.",
                cause: """
                    An endpoint is `tcp://HOST:PORT`, `ipc://PATH` or `inproc://NAME`. A port is missing, an IPv6 \
                    address has no brackets, `localhost` is bound, or a wildcard is connected to.
                    """,
                configuration: """
                    version: 1
                    sources: [zmq: { connect: "tcp://127.0.0.1" }]
                    sinks: [discard]
                    """,
                remedy: """
                    Write `tcp://127.0.0.1:5556`. To bind, use an address or `*`; to connect, use a name or an address \
                    and a port.
                    """),
            Explanation(
                "zmq.no_endpoint", [.configuration],
                "A ZeroMQ component has no address.",
                cause: """
                    One side of a connection binds an address, and the other connects to it. This side does neither.
                    """,
                configuration: """
                    version: 1
                    sources: [zmq]
                    sinks: [discard]
                    """,
                remedy: """
                    Add `connect: "tcp://127.0.0.1:5556"` if the other side binds, and `bind:` if the other side \
                    connects.
                    """),
            Explanation(
                "zmq.endpoint_twice", [.configuration],
                "One socket would bind the same address twice.",
                cause: "An address can be bound once. Any number of peers can connect to it.",
                configuration: """
                    version: 1
                    sources: [zmq: { bind: ["tcp://127.0.0.1:5556", "tcp://127.0.0.1:5556"] }]
                    sinks: [discard]
                    """,
                remedy: "Remove one of the two."),
            Explanation(
                "zmq.ipv6", [.configuration],
                "An IPv6 address is given, but IPv6 is not enabled.",
                cause: "Sockets use only IPv4 by default.",
                configuration: """
                    version: 1
                    sources: [zmq: { connect: "tcp://[::1]:5556" }]
                    sinks: [discard]
                    """,
                remedy: "Add `ipv6: true`."),
            Explanation(
                "zmq.address_in_use", [.environment],
                "An address cannot be bound because another program uses it.",
                cause: """
                    Another run of this pipeline, or another program, has bound the same port or socket file. For \
                    `ipc`, a file that is not a socket may have that path.
                    """,
                output: "error[zmq.address_in_use]: zmq: cannot bind tcp://*:5556: the address is taken",
                remedy: """
                    Stop the other program, or bind another address. `ss -ltnp | grep 5556` shows which program uses a \
                    port.
                    """),
            Explanation(
                "zmq.no_such_address", [.environment],
                "An address cannot be bound because this machine does not have it.",
                cause: """
                    Only addresses of this machine can be bound. The address of the other machine is for `connect`.
                    """,
                output: """
                    error[zmq.no_such_address]: zmq: cannot bind tcp://10.1.2.3:5556: this machine has no such \
                    address
                    """,
                remedy: """
                    Bind `tcp://*:5556` for all addresses of the machine, or `tcp://127.0.0.1:5556` only for programs \
                    on it.
                    """),
            Explanation(
                "zmq.no_such_folder", [.environment],
                "The folder of an `ipc` socket does not exist.",
                cause: "`ipc://PATH` creates a socket file at the path, and its folder must exist.",
                output: """
                    error[zmq.no_such_folder]: zmq: cannot bind ipc:///run/camera/frames: the folder of the \
                    socket's file is not there
                    """,
                remedy: "Create the folder first."),
            Explanation(
                "zmq.not_permitted", [.environment],
                "The system does not allow an address to be bound.",
                cause: """
                    Ports below 1024 require privileges, and an `ipc` socket requires write permission for its folder.
                    """,
                output: "error[zmq.not_permitted]: zmq: cannot bind tcp://*:80: the system does not allow it",
                remedy: "Use a port from 1024 up, or a folder that you may write to."),
            Explanation(
                "zmq.too_many_sockets", [.environment],
                "No socket or pipe can be created.",
                cause: """
                    The process has reached its limit of open files and sockets. Every ZeroMQ component needs several.
                    """,
                output: "error[zmq.too_many_sockets]: zmq: cannot create a socket: Too many open files",
                remedy: "Raise the limit: `ulimit -n 4096`."),
            Explanation(
                "zmq.failed", [.environment],
                "A libzmq call failed unexpectedly.",
                cause: "The message names the call and the system's reason.",
                output: "error[zmq.failed]: zmq: zmq_socket: Cannot allocate memory",
                remedy: "Read the reason. If it does not help, report it with the version of libzmq."),
            Explanation(
                "zmq.not_open", [.defect],
                "A request was made before the connection was opened.",
                cause: "A configuration cannot cause this.",
                output: "error[zmq.not_open]: zmq_request: asked before it was opened",
                remedy: "If you drive the stage from Swift, open it first. Otherwise report it."),
            Explanation(
                "zmq.no_effect", [.configuration],
                "An option has no effect with this type of socket.",
                cause: "`subscribe` is for `sub`, `split` for `push`, `wait_for_subscribers` for `pub`, for example.",
                configuration: """
                    version: 1
                    sources: [zmq: { connect: "tcp://127.0.0.1:5556", socket: pull, subscribe: [pen] }]
                    sinks: [discard]
                    """,
                remedy: "Leave the option out, or use the socket type that it belongs to."),
            Explanation(
                "zmq.no_subscription", [.configuration],
                "A `sub` socket subscribes to nothing.",
                cause: "`subscribe` is an empty list, so no message would ever arrive.",
                configuration: """
                    version: 1
                    mode: live
                    sources: [zmq: { connect: "tcp://127.0.0.1:5556", socket: sub, subscribe: [] }]
                    sinks: [discard]
                    """,
                remedy: """
                    Leave `subscribe` out to receive everything, or list the prefixes of the topics you want.
                    """),
            Explanation(
                "zmq.sub_in_batch", [.warning],
                "A `sub` socket is used in batch mode.",
                cause: """
                    Batch mode guarantees that every frame is processed. A subscriber that is slow, or connects late, \
                    loses messages.
                    """,
                configuration: """
                    version: 1
                    sources: [zmq: { connect: "tcp://127.0.0.1:5556", socket: sub }]
                    sinks: [discard]
                    """,
                remedy: "Use `mode: live`, or `socket: pull` here and `push` at the other side, which lose nothing."),
            Explanation(
                "zmq.open_address", [.warning],
                "An address that other machines can reach is bound without a key.",
                cause: "Any program that reaches the port can connect and read or send. Nothing is encrypted.",
                configuration: """
                    version: 1
                    sources: [zmq: { bind: "tcp://*:5556", socket: pull }]
                    sinks: [discard]
                    """,
                remedy: """
                    Bind `tcp://127.0.0.1:…` for programs on this machine, or use `curve` with keys from `pipectl \
                    keys`.
                    """),
            Explanation(
                "zmq.several_peers", [.configuration],
                "A sink that sends each frame to one peer has several peers.",
                cause: """
                    A `push` socket distributes its frames in turn, so each peer would get only some of them. This \
                    must be requested explicitly.
                    """,
                configuration: """
                    version: 1
                    sources: [synthetic]
                    sinks: [zmq: { connect: ["tcp://127.0.0.1:5556", "tcp://127.0.0.1:5557"], socket: push }]
                    """,
                remedy: """
                    Write `split: true` if this is intended, or use `socket: pub` to send everything to all peers.
                    """),
            Explanation(
                "zmq.reconnect", [.configuration],
                "The longest pause between two connection attempts is shorter than the first.",
                cause: "Pauses grow from `reconnect_ms` to `reconnect_max_ms`.",
                configuration: """
                    version: 1
                    sources: [zmq: { connect: "tcp://127.0.0.1:5556", reconnect_ms: 500, reconnect_max_ms: 100 }]
                    sinks: [discard]
                    """,
                remedy: """
                    Give `reconnect_max_ms` a value of at least `reconnect_ms`, or 0 for pauses that do not grow.
                    """),
        ])
}
