import Pipeline
import Stages

extension Command {
    private enum Format: String, CaseIterable, Sendable { case text, json, markdown }

    private static let stagesFormat = Flag<Format>.choice("format", default: .text, "How the answer is written")

    /// `pipectl stages [NAME]`: what the registry knows, from the manifests alone.
    static let stages: Command = Command(
        "stages", "list sources, stages and sinks, or explain one",
        arguments: [
            Argument(
                "NAME", "the component to explain; all are listed without it", arity: .optional,
                completion: .names {
                    Registry.standard.entries.map(\.manifest.name).reduce(into: []) {
                        if !$0.contains($1) { $0.append($1) }
                    }
                })
        ],
        flags: [stagesFormat.description],
        examples: [
            Example("pipectl stages", "Lists everything a pipeline can be made of"),
            Example("pipectl stages resample", "Explains one of them: options, units, ranges, defaults, an example"),
            Example("pipectl stages --format=markdown > reference.md", "Writes the whole reference"),
        ]
    ) { invocation, console in
        let registry = Registry.standard
        var entries = registry.entries
        if let name = invocation.word(0) {
            entries = entries.filter { $0.manifest.name == name }
            if entries.isEmpty { throw unknownComponent(name, registry) }
        }
        switch invocation[stagesFormat] ?? .text {
        case .json:
            try console.writeResult(JSONValue.array(entries.map(ComponentReference.json)).document)
        case .markdown:
            try console.writeResult(ComponentReference.markdown(entries))
        case .text where invocation.word(0) == nil:
            try console.writeResult(ComponentReference.list(entries, console.resultStyle))
        case .text:
            let texts = entries.map { ComponentReference.text($0, console.resultStyle) }
            try console.writeResult(texts.joined(separator: "\n"))
        }
        return .done
    }

    private static func unknownComponent(_ name: String, _ registry: Registry) -> UsageError {
        let names = registry.entries.map(\.manifest.name)
        return UsageError(
            "no source, stage or sink is named \"\(name)\"",
            help: nearestName(to: name, among: names).map { "did you mean \"\($0)\"?" },
            "\"pipectl stages\" lists them all")
    }
}
