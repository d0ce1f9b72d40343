import Pipeline
import PipelineComponents

/// Renames streams. Downstream stages keep their state per new name.
public struct MapStream<Passing: Payload>: Stage {
    private let options: MapStreamComponent.Options
    /// The new name, computed once: every stream has its own instance.
    private var name: StreamID?

    /// Creates a stage that renames streams.
    public init(_ options: MapStreamComponent.Options) { self.options = options }

    public var renamesStreams: Bool { true }

    public mutating func process(
        _ payload: borrowing Passing, _ header: borrowing Header, into emitter: borrowing Emitter<Passing>
    ) {
        let name = name ?? StreamID(newName(header.stream.name))
        self.name = name
        emitter.emit(payload, stream: name)
    }

    private func newName(_ old: String) -> String {
        let short =
            !options.removePrefix.isEmpty && old.hasPrefix(options.removePrefix)
            ? String(old.dropFirst(options.removePrefix.count)) : old
        let template = options.map.pairs.first { Glob($0.pattern).matches(old) }?.name ?? options.to
        var result = ""
        var rest = Substring(template)
        while let brace = rest.firstIndex(of: "{") {
            result += rest[..<brace]
            rest = rest[brace...]
            if rest.hasPrefix("{stream}") {
                result += short
                rest = rest.dropFirst("{stream}".count)
            } else {
                result += "{"
                rest = rest.dropFirst()
            }
        }
        return result + rest
    }
}

/// The `map_stream` component of configurations: options, manifest and factory.
public enum MapStreamComponent: StageComponent {
    /// The naming rules. The first pattern of `map` that matches gives the new name. If none matches, `to` gives it. `{stream}`
    /// stands for the old name without the prefix `remove_prefix`.
    public struct Options: ComponentOptions {
        @Option(
            "New names by patterns of old ones: * and ? are wildcards, {stream} in the new name stands for the old one without remove_prefix. The first match counts.",
            example: "{ \"pen/*\": pens }")
        public var map = StreamNames()

        @Option(
            "New name of streams that no pattern of map matches; {stream} stands for the old name without remove_prefix."
        )
        public var to = "{stream}"

        @Option("Prefix to remove from the old name, if the name has it.")
        public var removePrefix = ""

        public init() {}

        public func check(_ node: ConfigNode, _ context: DecodingContext) {
            if let to = node["to"] { check(name: self.to, at: to, context.descending("to")) }
            let targets = node["map"]?.mapping ?? []
            for (entry, pair) in zip(targets, map.pairs) {
                check(name: pair.name, at: entry.value, context.descending("map").descending(entry.key))
            }
        }

        private func check(name: String, at node: ConfigNode, _ context: DecodingContext) {
            if name.isEmpty {
                context.findings.error(
                    "option.empty", "the new name is empty", at: node.span, path: context.path,
                    help: "write a name, as in left/{stream}")
            }
            let unknown = name.matches(of: /\{([A-Za-z_]\w*)\}/).map { String($0.1) }.first { $0 != "stream" }
            guard let unknown else { return }
            context.findings.error(
                "map_stream.placeholder", "{\(unknown)} is not a placeholder", at: node.span, path: context.path,
                help: suggestion(for: unknown, among: ["stream"], list: "placeholders"))
        }
    }

    public static let manifest = Manifest(
        name: "map_stream",
        summary: "Renames streams",
        details: """
            Streams that get the same name become one stream: downstream stages keep one state for all of them. A frame that is \
            earlier than a frame before it, whichever stream it came from, is dropped as late. A queue connects this stage to \
            the next ones.
            """,
        example: """
            version: 1
            name: map-stream-example
            sources:
              - stdin: { kind: stroke }
            stages:
              - map_stream: { to: "left/{stream}" }
            sinks:
              - stdout
            """)

    public static let makes = Production.same

    public static func accepts(_ options: Options) -> Acceptance { .any }

    public static func make(_ options: Options, for input: PortType, _ context: BuildContext) throws -> any Stage {
        open(input.payload, options)
    }

    private static func open<P: Payload>(_ payload: P.Type, _ options: Options) -> any Stage {
        MapStream<P>(options)
    }
}
