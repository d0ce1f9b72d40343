import Pipeline
import Stages

// A generic component that is made for a type known only at run time runs generic code: every frame then costs look-ups of
// type metadata. So each payload brings what makes the components whose speed counts (CompiledPayloads.swift): in the witnesses of
// the project's own payloads that is compiled for them. The closures below carry the code past the engine, which calls components
// through their protocols.

/// Makes a source of any payload that can be read.
package protocol SourceMaker: SendableMetatype {
    /// Makes the source for one payload.
    func make<P: WirePayload>(_ payload: P.Type) -> CompiledSource<P>
}

/// The sources of one payload whose code is compiled for it, by what makes them.
public struct CompiledSources: Sendable {
    private var makers: [ObjectIdentifier: @Sendable (any SourceMaker) -> (any Source)?] = [:]

    /// Adds what makes a source where the payload is known.
    @inline(__always)
    package mutating func add<M: SourceMaker>(_ maker: M.Type, _ make: @escaping @Sendable (M) -> any Source) {
        makers[ObjectIdentifier(maker)] = { ($0 as? M).map(make) }
    }

    func source<M: SourceMaker>(_ maker: M) -> (any Source)? { makers[ObjectIdentifier(M.self)]?(maker) }
}

/// Makes a sink for any payload that can be written.
package protocol SinkMaker: SendableMetatype {
    /// Makes the sink for one payload.
    func make<P: WireEncodable>(_ payload: P.Type) -> CompiledSink<P>
}

/// The sinks of one payload whose code is compiled for it, by what makes them.
public struct CompiledSinks: Sendable {
    private var makers: [ObjectIdentifier: @Sendable (any SinkMaker) -> (any Sink)?] = [:]

    /// Adds what makes a sink where the payload is known.
    @inline(__always)
    package mutating func add<M: SinkMaker>(_ maker: M.Type, _ make: @escaping @Sendable (M) -> any Sink) {
        makers[ObjectIdentifier(maker)] = { ($0 as? M).map(make) }
    }

    fileprivate func sink<M: SinkMaker>(_ maker: M) -> (any Sink)? { makers[ObjectIdentifier(M.self)]?(maker) }
}

extension SinkMaker {
    /// The sink made for what arrives, with code compiled for it where there is such.
    ///
    /// - Throws: A configuration error for a payload that cannot be written.
    package func sink(for input: PortType) throws -> any Sink { sink(try writableType(of: input)) }

    private func sink<P: WireEncodable>(_ payload: P.Type) -> any Sink { P._sinks.sink(self) ?? make(payload) }
}

/// A source behind closures over the code compiled for it.
package struct CompiledSource<P: Payload>: Source {
    package typealias Output = P

    package let output: PortType
    package let timing: SourceTiming
    package let mayBlock: Bool
    private let opening: @Sendable (SourceContext) async throws -> Void
    private let reading: @Sendable (inout SourceBatch<P>) async throws -> Bool
    private let closing: @Sendable () async -> Void
    /// The source as it was wrapped.
    let original: any Source

    /// Wraps a source of a type known here.
    @inline(__always)
    package init<S: Source>(_ source: S) where S.Output == P {
        original = source
        output = source.output
        timing = source.timing
        mayBlock = source.mayBlock
        let box = ComponentBox(source)
        opening = { try await box.component.open($0) }
        reading = { try await box.component.read(into: &$0) }
        closing = { await box.component.close() }
    }

    package mutating func open(_ context: SourceContext) async throws { try await opening(context) }

    package mutating func read(into batch: inout SourceBatch<P>) async throws -> Bool { try await reading(&batch) }

    package mutating func close() async { await closing() }
}

/// A sink behind closures over the code compiled for it.
package struct CompiledSink<P: Payload>: Sink {
    package typealias Input = P

    package let mayBlock: Bool
    private let opening: @Sendable (SinkContext) async throws -> Void
    private let counting: @Sendable () -> Int
    private let discarding: @Sendable () -> Void
    private let writing: @Sendable (Frame<P>) throws -> Void
    private let flushing: @Sendable () throws -> Void
    private let ending: @Sendable (StreamID) throws -> Void
    private let closing: @Sendable () async throws -> Void

    /// Wraps a sink of a type known here.
    @inline(__always)
    package init<S: Sink>(_ sink: S) where S.Input == P {
        mayBlock = sink.mayBlock
        let box = ComponentBox(sink)
        opening = { try await box.component.open($0) }
        counting = { box.component.unwritten }
        discarding = { box.component.discard() }
        writing = { try box.component.write($0) }
        flushing = { try box.component.flush() }
        ending = { try box.component.end($0) }
        closing = { try await box.component.close() }
    }

    package mutating func open(_ context: SinkContext) async throws { try await opening(context) }

    package var unwritten: Int { counting() }

    package mutating func write(_ frame: Frame<P>) throws { try writing(frame) }

    package mutating func discard() { discarding() }

    package mutating func flush() throws { try flushing() }

    package mutating func end(_ stream: StreamID) throws { try ending(stream) }

    package mutating func close() async throws { try await closing() }
}

// The engine calls a component from one task only, one call at a time.
private final class ComponentBox<C>: @unchecked Sendable {
    var component: C

    init(_ component: C) { self.component = component }
}

/// The payload type that arrives at a sink, to be opened by a generic function, if it can be written.
package func writableType(of input: PortType) throws -> any WireEncodable.Type {
    guard let type = input.payload as? any WireEncodable.Type else {
        throw PipelineError(
            .configuration, "sink.not_writable", "a payload of kind \(input.kind) cannot be written",
            help: "a payload of your own can when it conforms to MessagePayload")
    }
    return type
}
