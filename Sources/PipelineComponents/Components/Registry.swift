import Pipeline

/// The components that configurations can name.
public struct Registry: Sendable {
    /// A component, whatever its type.
    public struct Entry: Sendable {
        /// What it is.
        public let role: Plan.Role

        /// What it says about itself.
        public let manifest: Manifest

        /// Its options. Where one names a payload, its choices are the payloads of the registry. O(options): they are found each
        /// time, because a program that starts needs those of few components.
        public var options: [OptionDescription] { describe().map { $0.choosing(payloads: payloads) } }

        /// What it takes, in words: `stroke or vector`; empty for a source.
        public let takes: String

        /// What it makes, in words; empty for a sink.
        public var makes: String { production?.summary ?? "" }

        /// What it makes; `nil` for a sink.
        package fileprivate(set) var production: Production?

        /// The names of the payloads of the registry.
        fileprivate var payloads: [String]
        fileprivate let describe: @Sendable () -> [OptionDescription]
        fileprivate let declaredProduction: Production?
        package let decode: @Sendable (ConfigNode, DecodingContext) -> any ComponentOptions
        package let accepts: @Sendable (any ComponentOptions) -> Acceptance
        package let make: Maker
    }

    package enum Maker: Sendable {
        case source(@Sendable (any ComponentOptions, BuildContext) throws -> any Source)
        case stage(@Sendable (any ComponentOptions, PortType, BuildContext) throws -> any Stage)
        case asyncStage(@Sendable (any ComponentOptions, PortType, BuildContext) throws -> any AsyncStage)
        case sink(@Sendable (any ComponentOptions, PortType, BuildContext) throws -> any Sink)
    }

    /// All components, in the order registered.
    public private(set) var entries: [Entry] = []

    /// The payload types that configurations can name, in the order registered.
    public var payloads: [any Payload.Type] { known.payloads }

    /// What options can name beside components.
    package private(set) var known = KnownTypes()

    private var notations: [ObjectIdentifier: any Sendable] = [:]

    /// Makes an empty registry.
    public init() {}

    /// The entry of a name, or another name, in a role.
    public func entry(_ name: String, _ role: Plan.Role) -> Entry? {
        entries.first { $0.role == role && $0.manifest.name == name }
            ?? entries.first { $0.role == role && $0.manifest.aliases.contains(name) }
    }

    /// The names of a role, in the order registered.
    public func names(_ role: Plan.Role) -> [String] {
        entries.filter { $0.role == role }.map(\.manifest.name)
    }

    /// Registers a source. One of the same name is replaced.
    public mutating func add<C: SourceComponent>(_ component: C.Type) {
        add(
            C.self, .source, makes: C.makes,
            .source { options, context in try C.make(Self.cast(options), context) })
    }

    /// Registers a stage. One of the same name is replaced.
    public mutating func add<C: StageComponent>(_ component: C.Type) {
        add(
            C.self, .stage, accepts: C.accepts, makes: C.makes,
            .stage { options, input, context in try C.make(Self.cast(options), for: input, context) })
    }

    /// Registers an asynchronous stage. A stage of the same name is replaced.
    public mutating func add<C: AsyncStageComponent>(_ component: C.Type) {
        add(
            C.self, .stage, accepts: C.accepts, makes: C.makes,
            .asyncStage { options, input, context in try C.make(Self.cast(options), for: input, context) })
    }

    /// Registers a sink. One of the same name is replaced.
    public mutating func add<C: SinkComponent>(_ component: C.Type) {
        add(
            C.self, .sink, accepts: C.accepts,
            .sink { options, input, context in try C.make(Self.cast(options), for: input, context) })
    }

    /// Registers a payload type, so that options can name it. One of the same name is replaced.
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

    /// Registers how frames of a payload type are written in tests. One for the same type is replaced.
    public mutating func add<P: Payload>(_ notation: FrameNotation<P>) {
        notations[ObjectIdentifier(P.self)] = notation
    }

    /// How frames of a payload type are written in tests, if that is known.
    package func notation<P: Payload>(of payload: P.Type) -> FrameNotation<P>? {
        notations[ObjectIdentifier(P.self)] as? FrameNotation<P>
    }

    /// Registers what reads a file that components are made with, such as a gesture library: they ask for it with
    /// ``BuildContext/read(_:from:)``. One for the same type is replaced.
    ///
    /// - Parameter reader: Reads the file at a path. Throws an environment error when it cannot, or is no such file.
    public mutating func add<Value>(reader: @escaping @Sendable (_ path: String) throws -> Value) {
        known.add(reader: reader)
    }

    private mutating func add<C: Component>(
        _ component: C.Type, _ role: Plan.Role, accepts: (@Sendable (C.Options) -> Acceptance)? = nil,
        makes: Production? = nil, _ make: Maker
    ) {
        entries.removeAll { $0.role == role && $0.manifest.name == C.manifest.name }
        entries.append(
            Entry(
                role: role, manifest: C.manifest,
                takes: C.manifest.takes ?? accepts?(C.Options()).summary ?? "", production: named(makes),
                payloads: payloadNames, describe: { C.Options.options }, declaredProduction: makes,
                decode: { C.Options.decode($0, $1) as C.Options },
                accepts: { accepts?(Self.cast($0)) ?? .any }, make: make))
    }

    /// Options are always those that `decode` of the same entry made; the fallback to defaults is never reached.
    private static func cast<O: ComponentOptions>(_ options: any ComponentOptions) -> O {
        options as? O ?? O()
    }
}
