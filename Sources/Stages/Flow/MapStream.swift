import Pipeline
import PipelineComponents

/// Renames streams. What stands behind it keeps state by the new names.
public struct MapStream<Passing: Payload>: Stage {
    private let options: MapStreamComponent.Options
    /// Every stream has an instance of its own, so its new name is found once.
    private var name: StreamID?

    /// Makes the stage.
    public init(_ options: MapStreamComponent.Options) { self.options = options }

    public var renamesStreams: Bool { true }

    public mutating func process(
        _ payload: consuming Passing, _ header: borrowing Header, into emitter: borrowing Emitter<Passing>
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

/// The `map_stream` of configurations: its options, its manifest and its factory.
public enum MapStreamComponent: StageComponent {
    /// The first of `map` that fits decides; otherwise `to`; then the prefixes.
    public struct Options: ComponentOptions {
        @Option(
            "New names by old ones. * and ? in the old name are patterns, {stream} in the new one stands for the old. The first that fits counts.",
            example: "{ \"pen/*\": pens }")
        public var map = StreamNames()

        @Option("New name of streams that the map does not name; {stream} stands for the old name.")
        public var to = "{stream}"

        @Option("Text to remove from the beginning of the old name, if it is there.")
        public var removePrefix = ""

        public init() {}
    }

    public static let manifest = Manifest(
        name: "map_stream",
        summary: "Renames streams",
        details: """
            Streams that get one name become one stream: downstream stages keep one state for all of them, and a frame that is not \
            later than those before it, whichever stream it came from, is dropped as late. An edge follows this stage.
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
