extension Explanation {
    /// Codes about ZeroMQ keys and passwords.
    static let keys = Family(
        "ZeroMQ: keys and passwords",
        [
            Explanation(
                "zmq.two_mechanisms", [.configuration],
                "Both `curve` and `plain` are given.",
                cause: "A connection uses one way to authenticate its peers.",
                configuration: """
                    version: 1
                    sources:
                      - zmq:
                          connect: "tcp://127.0.0.1:5556"
                          curve: { server_key_file: camera.key }
                          plain: { username: camera, password_env: CAMERA_PASSWORD }
                    sinks: [discard]
                    """,
                remedy: "Leave `plain` out: `curve` authenticates peers and encrypts."),
            Explanation(
                "zmq.two_keys", [.configuration],
                "A key is given twice.",
                cause: """
                    A key comes from a file, from a variable or from the configuration, and two of these are given.
                    """,
                configuration: """
                    version: 1
                    sources:
                      - zmq:
                          connect: "tcp://127.0.0.1:5556"
                          curve: { server_key_file: a.key, secret_key_file: b.key_secret, secret_key_env: SECRET }
                    sinks: [discard]
                    """,
                remedy: "Remove one of the two."),
            Explanation(
                "zmq.no_secret_key", [.configuration, .environment],
                "A CURVE server has no secret key.",
                cause: """
                    Clients identify a server by its public key, so the server needs the matching secret key.
                    """,
                configuration: """
                    version: 1
                    sources: [zmq: { bind: "tcp://127.0.0.1:5556", curve: { server: true } }]
                    sinks: [discard]
                    """,
                remedy: "Create a pair with `pipectl keys NAME`, and write `secret_key_file: NAME.key_secret`."),
            Explanation(
                "zmq.no_server_key", [.configuration, .environment],
                "A CURVE client does not have the public key of its server.",
                cause:
                    "The key proves to a client that the server is the right one. Without the key, a client does not connect.",
                configuration: """
                    version: 1
                    sources: [zmq: { connect: "tcp://127.0.0.1:5556", curve: {} }]
                    sinks: [discard]
                    """,
                remedy: """
                    Copy the server's `NAME.key` and write `server_key_file: NAME.key`, or `server: true` if this \
                    side is the server.
                    """),
            Explanation(
                "zmq.server_with_server_key", [.configuration],
                "A CURVE server is given the public key of a server.",
                cause: "`server_key` and `server_key_file` are for clients.",
                configuration: """
                    version: 1
                    sources:
                      - zmq:
                          bind: "tcp://127.0.0.1:5556"
                          curve: { server: true, secret_key_file: a.key_secret, server_key_file: a.key }
                    sinks: [discard]
                    """,
                remedy: "Leave the server's key out, or leave `server: true` out if this side is the client."),
            Explanation(
                "zmq.allow_without_server", [.configuration],
                "A CURVE client has a list of allowed clients.",
                cause: "Only a server decides which clients are allowed.",
                configuration: """
                    version: 1
                    sources: [zmq: { connect: "tcp://127.0.0.1:5556", curve: { server_key_file: a.key, allow: [] } }]
                    sinks: [discard]
                    """,
                remedy: "Leave `allow` out, or write `server: true`."),
            Explanation(
                "zmq.bad_key", [.configuration],
                "A text is not a CURVE key.",
                cause: """
                    A key has 40 characters of the alphabet Z85. It was cut off, or YAML interpreted a part of it.
                    """,
                configuration: """
                    version: 1
                    sources: [zmq: { connect: "tcp://127.0.0.1:5556", curve: { server_key: abc } }]
                    sinks: [discard]
                    """,
                remedy: "Put the whole key in double quotes, or name its file with `server_key_file`."),
            Explanation(
                "zmq.key_file", [.environment],
                "A key or password file cannot be read or written, or does not contain a key.",
                cause: """
                    The path is wrong, it is a folder, it is the wrong file, or a new pair would overwrite an existing \
                    file.
                    """,
                output: "error[zmq.key_file]: zmq: cannot read camera.key_secret: No such file or directory",
                remedy: """
                    Correct the path, or create a pair with `pipectl keys NAME`. A pair is never overwritten: choose \
                    another name.
                    """),
            Explanation(
                "zmq.key_mode", [.environment],
                "A file with a secret can be read by others.",
                cause: "A secret that others may read is not secret, so the file is refused.",
                output: """
                    error[zmq.key_mode]: zmq: camera.key_secret holds a secret, and others may read it (mode \
                    0644)
                    """,
                remedy: "Run `chmod 600 FILE`. If others may have read it, create a new pair."),
            Explanation(
                "zmq.key_pair", [.environment],
                "The two keys in a file do not belong together.",
                cause: """
                    The file contains a public and a secret key, but the public key belongs to another secret key. \
                    Lines of two files were mixed.
                    """,
                output: """
                    error[zmq.key_pair]: zmq: camera.key_secret, line 4: the public-key does not belong to the \
                    secret-key beside it
                    """,
                remedy: "Write the public key that the help shows, or create a new pair with `pipectl keys`."),
            Explanation(
                "zmq.key_env", [.environment],
                "An environment variable does not contain the expected key or password.",
                cause:
                    "The variable is not set in the program's environment, or its value is not a key of 40 characters.",
                output: "error[zmq.key_env]: zmq: the environment variable CAMERA_SECRET_KEY is not set",
                remedy: """
                    Set the variable to the `secret-key` in `NAME.key_secret`, or to the password. A service needs the variable \
                    in its own environment.
                    """),
            Explanation(
                "zmq.no_curve", [.environment],
                "The libzmq of this machine cannot encrypt.",
                cause: "This libzmq was built without CURVE.",
                output: "error[zmq.no_curve]: zmq: this libzmq was built without CURVE",
                remedy: "Install a libzmq with CURVE, such as the packages of Debian and Homebrew."),
            Explanation(
                "zmq.username", [.configuration],
                "A user name is empty or too long.",
                cause: "A user name has 1 to 255 bytes.",
                configuration: """
                    version: 1
                    sources:
                      - zmq:
                          connect: "tcp://127.0.0.1:5556"
                          plain: { username: "", password_env: CAMERA_PASSWORD }
                    sinks: [discard]
                    """,
                remedy: "Use a name that both sides know."),
            Explanation(
                "zmq.password", [.configuration],
                "No password is given, or two are.",
                cause: """
                    A password comes from a file or from an environment variable. It is never part of the \
                    configuration.
                    """,
                configuration: """
                    version: 1
                    sources: [zmq: { connect: "tcp://127.0.0.1:5556", plain: { username: camera } }]
                    sinks: [discard]
                    """,
                remedy: "Set `password_file` or `password_env`."),
            Explanation(
                "zmq.empty_password", [.environment],
                "The password is empty.",
                cause: """
                    The first line of the password file, or the variable, is empty. Anyone who knew the user name \
                    would get access.
                    """,
                output: """
                    error[zmq.empty_password]: zmq: the password is empty: the first line of camera.password \
                    holds nothing
                    """,
                remedy: "Write a password there."),
            Explanation(
                "zmq.long_password", [.environment],
                "The password is too long.",
                cause: "A password has at most 255 bytes. Often the wrong file was given.",
                output: """
                    error[zmq.long_password]: zmq: the first line of camera.password holds 400 bytes, more than \
                    the 255 that a password may have
                    """,
                remedy: "Use a shorter one, or correct the name of the file."),
        ])
}
