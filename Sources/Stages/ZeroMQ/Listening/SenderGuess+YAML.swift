import Pipeline

extension SenderGuess {
    /// A pipeline that receives what was listened to, and shows it.
    package func yaml(_ place: MessageListener.Place) -> String {
        var lines = ["version: 1", "mode: live", "sources:", "  - zmq:"]
        func add(_ name: String, _ value: String) { lines.append("      \(name): \(value)") }
        add(place.isBound ? "bind" : "connect", "\"\(place.endpoint.text)\"")
        add("socket", place.socket.rawValue)
        if !place.subscriptions.isEmpty {
            add("subscribe", "[" + place.subscriptions.map(Self.quoted).joined(separator: ", ") + "]")
        }
        add("kind", kind.rawValue)
        if let space = landmarks.space { add("space", space.rawValue) }
        if let y = landmarks.y { add("y", y.rawValue) }
        if let topology = landmarks.topology?.yaml { add("topology", "\"\(topology)\"") }
        let entries = decode.entries
        if !entries.isEmpty { lines.append("      decode:") }
        for (name, value) in entries { lines.append("        \(name): \(value)") }
        return (lines + ["sinks:", "  - stdout"]).joined(separator: "\n") + "\n"
    }

    /// A text in YAML's double quotes, which are JSON's.
    private static func quoted(_ text: String) -> String {
        var buffer = TextBuffer(capacity: 64)
        buffer.quoted(text)
        return buffer.text
    }
}
