import Pipeline
import PipelineComponents

/// Takes frames and does nothing with them.
public enum Discard: SinkComponent {
    /// None.
    public typealias Options = NoOptions

    public static let manifest = Manifest(
        name: "discard",
        aliases: ["null"],
        summary: "Takes frames and does nothing with them",
        details: """
            For measuring, and for pipelines that are only to be checked: the ledger still counts every frame. `null`, YAML's \
            word for nothing, is another name for it.
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

    /// A sink that does nothing with what comes.
    package static func make(_ input: PortType) -> any Sink { make(input.payload) }

    private static func make<P: Payload>(_ type: P.Type) -> any Sink { Nothing<P>() }
}

/// The sink behind ``Discard``, for one payload type.
package struct Nothing<P: Payload>: Sink {
    package typealias Input = P

    package let mayBlock: Bool

    package init(mayBlock: Bool = false) { self.mayBlock = mayBlock }

    package mutating func write(_ frame: Frame<P>) {}
}
