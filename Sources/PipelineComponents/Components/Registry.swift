import Pipeline

/// The components that configurations can name.
public struct Registry: Sendable {
    /// A component of any type.
    public struct Entry: Sendable {
        /// The role of the component.
        public let role: Plan.Role

        /// The description of the component.
        public let manifest: Manifest

        /// The options of the component. If an option names a payload, its choices are the payloads of the registry. O(options):
        /// the options are computed on each access, because most components' options are never needed.
        public var options: [OptionDescription] { describe().map { $0.choosing(payloads: payloads) } }

        /// The accepted payloads in words: `stroke or vector`. Empty for a source. O(options): computed on each access.
        public var takes: String { manifest.takes ?? describeInput() }

        /// The produced payloads in words. Empty for a sink.
        public var makes: String { production?.summary ?? "" }

        /// The produced payloads; `nil` for a sink.
        package fileprivate(set) var production: Production?

        /// The names of the payloads of the registry.
        fileprivate var payloads: [String]
        fileprivate let describe: @Sendable () -> [OptionDescription]
        fileprivate let describeInput: @Sendable () -> String
        fileprivate let declaredProduction: Production?
        package let decode: @Sendable (ConfigNode, DecodingContext) -> any ComponentOptions
        package let accepts: @Sendable (any ComponentOptions) -> Acceptance
        package let make: Maker
    }

    /// The factory of a component, by role.
    package enum Maker: Sendable {
        case source(@Sendable (any ComponentOptions, BuildContext) throws -> any Source)
        case stage(@Sendable (any ComponentOptions, PortType, BuildContext) throws -> any Stage)
        case asyncStage(@Sendable (any ComponentOptions, PortType, BuildContext) throws -> any AsyncStage)
        case sink(@Sendable (any ComponentOptions, PortType, BuildContext) throws -> any Sink)
    }

    /// All components, in the order of registration.
    public private(set) var entries: [Entry] = []

    /// The payload types that configurations can name, in the order of registration.
    public var payloads: [any Payload.Type] { known.payloads }

    /// The types, other than components, that options can name.
    package private(set) var known = KnownTypes()

    private var notations: [ObjectIdentifier: any Sendable] = [:]

    /// Creates an empty registry.
    public init() {}

    /// Returns the component of a role that has a name or alias. Names take precedence over aliases.
    public func entry(_ name: String, _ role: Plan.Role) -> Entry? {
        entries.first { $0.role == role && $0.manifest.name == name }
            ?? entries.first { $0.role == role && $0.manifest.aliases.contains(name) }
    }

    /// Returns the names in a role, in the order of registration.
    public func names(_ role: Plan.Role) -> [String] {
        entries.filter { $0.role == role }.map(\.manifest.name)
    }

    /// Registers a source, or replaces the source of the same name.
    public mutating func add<C: SourceComponent>(_ component: C.Type) {
        add(
            C.self, .source, makes: C.makes,
            .source { options, context in try C.make(Self.cast(options), context) })
    }

    /// Registers a stage, or replaces the stage of the same name.
    public mutating func add<C: StageComponent>(_ component: C.Type) {
        add(
            C.self, .stage, accepts: C.accepts, makes: C.makes,
            .stage { options, input, context in try C.make(Self.cast(options), for: input, context) })
    }

    /// Registers an asynchronous stage, or replaces the stage of the same name.
    public mutating func add<C: AsyncStageComponent>(_ component: C.Type) {
        add(
            C.self, .stage, accepts: C.accepts, makes: C.makes,
            .asyncStage { options, input, context in try C.make(Self.cast(options), for: input, context) })
    }

    /// Registers a sink, or replaces the sink of the same name.
    public mutating func add<C: SinkComponent>(_ component: C.Type) {
        add(
            C.self, .sink, accepts: C.accepts,
            .sink { options, input, context in try C.make(Self.cast(options), for: input, context) })
    }

    /// Registers a payload type, so that options can name it, or replaces the type of the same name.
    package mutating func add(payloadType: any Payload.Type) {
        known.add(payloadType)
        for index in entries.indices {
            entries[index].payloads = payloadNames
            entries[index].production = named(entries[index].declaredProduction)
        }
    }

    private var payloadNames: [String] { payloads.map { $0.kind.rawValue } }

    private func named(_ production: Production?) -> Production? {
        guard case .registered = production else { return production }
        return .one(of: payloads.map { PortType($0) })
    }

    /// Registers the notation for frames of a payload type in tests, or replaces the notation for the same type.
    public mutating func add<P: Payload>(_ notation: FrameNotation<P>) {
        notations[ObjectIdentifier(P.self)] = notation
    }

    /// Returns the notation for frames of a payload type in tests, if there is one.
    package func notation<P: Payload>(of payload: P.Type) -> FrameNotation<P>? {
        notations[ObjectIdentifier(P.self)] as? FrameNotation<P>
    }

    /// Registers a reader of files that components need, such as gesture libraries, or replaces the reader for the same type.
    /// Components read the files with ``BuildContext/read(_:from:)``.
    ///
    /// - Parameter reader: Reads the file at a path. It throws an environment error if the file cannot be read or has another
    ///   format.
    public mutating func add<Value>(reader: @escaping @Sendable (_ path: String) throws -> Value) {
        known.add(reader: reader)
    }

    private mutating func add<C: Component>(
        _ component: C.Type, _ role: Plan.Role, accepts: (@Sendable (C.Options) -> Acceptance)? = nil,
        makes: Production? = nil, _ make: Maker
    ) {
        let manifest = C.manifest
        entries.removeAll { $0.role == role && $0.manifest.name == manifest.name }
        entries.append(
            Entry(
                role: role, manifest: manifest, production: named(makes), payloads: payloadNames,
                describe: { C.Options.options }, describeInput: { accepts?(C.Options()).summary ?? "" },
                declaredProduction: makes,
                decode: { C.Options.decode($0, $1) as C.Options },
                accepts: { accepts?(Self.cast($0)) ?? .any }, make: make))
    }

    /// Casts options to their type. The cast always succeeds, because `decode` of the same entry has created the options.
    private static func cast<O: ComponentOptions>(_ options: any ComponentOptions) -> O {
        options as? O ?? O()
    }
}
