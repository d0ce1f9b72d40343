import Pipeline
import PipelineComponents

/// A sink that accepts every frame and does nothing with it.
public enum Discard: SinkComponent {
    /// The sink has no options.
    public typealias Options = NoOptions

    public static let manifest = Manifest(
        name: "discard",
        aliases: ["null"],
        summary: "Accepts frames and does nothing with them",
        details: """
            For measurements, and for pipelines that are only checked. The ledger still counts every frame. `null`, the YAML word \
            for nothing, is an alias.
            """,
        example: """
            version: 1
            sources:
              - synthetic: { count: 1000 }
            sinks:
              - discard
            """)

    public static func accepts(_ options: NoOptions) -> Acceptance { .any }

    public static func make(_ options: NoOptions, for input: PortType, _ context: BuildContext) throws -> any Sink {
        make(input)
    }

    /// Returns a sink that does nothing with incoming frames of a type.
    package static func make(_ input: PortType) -> any Sink { make(input.payload) }

    private static func make<P: Payload>(_ type: P.Type) -> any Sink { Nothing<P>() }
}

/// The sink that ``Discard`` creates, for one payload type.
package struct Nothing<P: Payload>: Sink {
    package typealias Input = P

    package let mayBlock: Bool

    package init(mayBlock: Bool = false) { self.mayBlock = mayBlock }

    package mutating func write(_ frame: Frame<P>) {}
}
