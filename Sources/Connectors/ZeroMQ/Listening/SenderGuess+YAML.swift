import Pipeline
import PipelineComponents
import Stages

extension SenderGuess {
    /// Returns the YAML of a pipeline that receives these messages and prints them. Keys and names from the messages appear in it
    /// only as text, so that a sender cannot add YAML of its own.
    package func yaml(_ place: MessageListener.Place) -> String {
        var options = [(place.isBound ? "bind" : "connect", place.endpoint.yaml ?? "")]
        if place.endpoint.isIPv6 { options.append(("ipv6", "true")) }
        options.append(("socket", place.socket.rawValue))
        if let prefixes = place.subscriptions.yaml { options.append(("subscribe", prefixes)) }
        return yaml(["mode: live"], source: "zmq", options)
    }

    /// Returns the YAML of a pipeline that reads these messages from a file and prints them.
    ///
    /// - Parameter skipsErrors: Whether the pipeline skips the messages that it cannot read.
    func yaml(file path: String, skipsErrors: Bool = false) -> String {
        yaml(
            source: "file",
            [("path", path.yaml ?? "")] + (skipsErrors ? [("on_error", ErrorPolicy.skip.rawValue)] : []))
    }

    private func yaml(_ head: [String] = [], source: String, _ options: [(name: String, value: String)]) -> String {
        var lines = ["version: 1"] + head + ["sources:", "  - \(source):"]
        func add(_ name: String, _ value: String) { lines.append("      \(name): \(value)") }
        for option in options { add(option.name, option.value) }
        add("kind", kind.name)
        if let space = landmarks.space { add("space", space.rawValue) }
        if let y = landmarks.y { add("y", y.rawValue) }
        if let topology = landmarks.topology?.yaml { add("topology", "\"\(topology)\"") }
        if clampsTimes {
            lines.append(
                "      # Times repeat or go back in a stream: such a frame gets a time one microsecond after the previous one."
            )
            add("on_disorder", DisorderPolicy.clamp.rawValue)
        }
        let entries = decode.entries
        if !entries.isEmpty { lines.append("      decode:") }
        for (name, value) in entries {
            if name == "hz" { lines.append("        # The messages have no times: 30 per second is an assumption.") }
            if name == "t_unit", unitIsGuess {
                lines.append("        # The unit is a guess from the numbers.")
            }
            lines.append("        \(name): \(value)")
        }
        return (lines + ["sinks:", "  - stdout"]).joined(separator: "\n") + "\n"
    }
}
