import Connectors
import Pipeline
import PipelineComponents

extension Command {
    private enum Format: String, CaseIterable, Sendable { case text, json, markdown }

    private static let stagesFormat = Flag<Format>.choice("format", default: .text, "The format of the answer")

    /// `pipectl stages [NAME]`: describes the components and the payloads of the registry, and the presets of `decode`.
    static let stages: Command = Command(
        "stages", "list sources, stages, sinks, payloads, presets, or explain one",
        arguments: [
            Argument(
                "NAME", "the component, payload or preset of decode to explain; without it, all are listed",
                arity: .optional,
                completion: .names {
                    names($0.registry).reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
                })
        ],
        flags: [stagesFormat.description],
        examples: [
            Example("pipectl stages", "Lists all sources, stages, sinks, payloads and presets"),
            Example("pipectl stages resample", "Explains a component: options, units, ranges, defaults, an example"),
            Example("pipectl stages landmarks", "Shows the keys of a payload's messages"),
            Example("pipectl stages mediapipe", "Shows the options of decode that a preset sets"),
            Example("pipectl stages --format=markdown > reference.md", "Writes the whole reference"),
        ]
    ) { invocation, console in
        let registry = invocation.tool.registry
        var entries = registry.entries
        let format = invocation[stagesFormat] ?? .text
        if let preset = invocation.word(0).flatMap(DecodePreset.init(rawValue:)) {
            try console.writeResult(explanation(of: preset, format, console.resultStyle))
            return .done
        }
        if let kind = invocation.word(0).flatMap({ registry.kinds[$0] }) {
            try console.writeResult(explanation(of: kind, format, console.resultStyle))
            return .done
        }
        if let name = invocation.word(0) {
            entries = entries.filter { $0.manifest.name == name || $0.manifest.aliases.contains(name) }
            if entries.isEmpty { throw unknownComponent(name, registry) }
        }
        switch format {
        case .json:
            try console.writeResult(JSONValue.array(entries.map(ComponentReference.json)).document)
        case .markdown:
            let isWhole = invocation.word(0) == nil
            let shared = OptionRows.sharedMarkdown(entries)
            let rest = PayloadReference.markdown(registry.kinds) + "\n" + PresetReference.markdown()
            try console.writeResult(
                ComponentReference.markdown(entries) + (shared.isEmpty ? "" : "\n" + shared)
                    + (isWhole ? "\n" + rest : ""))
        case .text where invocation.word(0) == nil:
            try console.writeResult(
                ComponentReference.list(entries, console.resultStyle) + "\n"
                    + PayloadReference.list(registry.kinds, console.resultStyle) + "\n"
                    + PresetReference.list(console.resultStyle))
        case .text:
            let texts = entries.map { ComponentReference.text($0, console.resultStyle) }
            try console.writeResult(texts.joined(separator: "\n"))
        }
        return .done
    }

    private static func explanation(of preset: DecodePreset, _ format: Format, _ style: Style) -> String {
        switch format {
        case .json: JSONValue.array([PresetReference.json(preset)]).document
        case .markdown: PresetReference.markdown([preset])
        case .text: PresetReference.text(preset, style)
        }
    }

    private static func explanation(of kind: PayloadKind, _ format: Format, _ style: Style) -> String {
        switch format {
        case .json: JSONValue.array([PayloadReference.json(kind)]).document
        case .markdown: PayloadReference.markdown(kind)
        case .text: PayloadReference.text(kind, style)
        }
    }

    private static func names(_ registry: Registry) -> [String] {
        registry.entries.map(\.manifest.name) + registry.kinds.map(\.name) + DecodePreset.allCases.map(\.rawValue)
    }

    private static func unknownComponent(_ name: String, _ registry: Registry) -> UsageError {
        UsageError(
            "no source, stage, sink, payload or preset is named \"\(name)\"",
            help: nearestName(to: name, among: names(registry)).map { "did you mean \"\($0)\"?" },
            "\"pipectl stages\" lists them all")
    }
}
