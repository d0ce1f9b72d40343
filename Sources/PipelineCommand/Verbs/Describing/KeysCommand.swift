import Connectors
import Pipeline

extension Command {
    /// `pipectl keys NAME`.
    static let keys: Command = Command(
        "keys", "create a pair of CURVE keys for ZeroMQ",
        details: """
            Writes NAME.key with the public key, which others may have, and NAME.key_secret with both keys, which only its owner \
            may read (mode 0600). The files have the format of CZMQ and pyzmq. A server's public key goes to its clients \
            (server_key_file); a client's public key, which is also printed, goes into its server's allow list. If one of the two \
            files exists, nothing is written.
            """,
        arguments: [Argument("NAME", "the name of the files, without the endings")],
        examples: [
            Example("pipectl keys camera", "Creates camera.key and camera.key_secret, and shows the public key"),
            Example("pipectl keys keys/tablet-1", "Writes them to the folder keys"),
        ]
    ) { invocation, console in
        let name = invocation.words[0]
        guard !name.isEmpty, !name.hasSuffix("/") else {
            throw UsageError("\"\(name)\" is not a name for files", help: "write a name, as in pipectl keys camera")
        }
        let (publicKey, secretKey) = try CurveKey.makePair()
        try CurveKeyFile.writePair(named: name, publicKey: publicKey, secretKey: secretKey)
        console.say("\(name).key is for others, \(name).key_secret for you alone; the public key is")
        try console.print(publicKey.text)
        return .done
    }
}
