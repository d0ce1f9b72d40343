import Pipeline
import PipelineComponents
import Stages

extension SenderGuess {
    /// Returns the YAML of a pipeline that receives these messages and prints them. Keys and names from the messages appear in it
    /// only as text, so that a sender cannot add YAML of its own.
    package func yaml(_ place: MessageListener.Place) -> String {
        var lines = ["version: 1", "mode: live", "sources:", "  - zmq:"]
        func add(_ name: String, _ value: String) { lines.append("      \(name): \(value)") }
        add(place.isBound ? "bind" : "connect", place.endpoint.yaml ?? "")
        if place.endpoint.isIPv6 { add("ipv6", "true") }
        add("socket", place.socket.rawValue)
        if let prefixes = place.subscriptions.yaml { add("subscribe", prefixes) }
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
        for (name, value) in entries { lines.append("        \(name): \(value)") }
        return (lines + ["sinks:", "  - stdout"]).joined(separator: "\n") + "\n"
    }
}
