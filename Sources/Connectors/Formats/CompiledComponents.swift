import Pipeline
import Stages

// If the payload type of a generic component is known only at run time, the component runs unspecialized code, which looks up type
// metadata for each frame. Each payload type therefore creates its own copies of the components whose speed matters (see
// CompiledPayloads.swift). For the payloads of this project, the compiler specializes that code. The engine calls components
// through their protocols, so the specialized code is wrapped in the closures below.

/// A factory that creates a source for any payload type that can be read.
package protocol SourceMaker: SendableMetatype {
    /// Creates the source for one payload type.
    func make<P: WirePayload>(_ payload: P.Type) -> CompiledSource<P>
}

/// The sources that are specialized for one payload type, by the type of their factory.
public struct CompiledSources: Sendable {
    private var makers: [ObjectIdentifier: @Sendable (any SourceMaker) -> (any Source)?] = [:]

    /// Adds a closure that creates the source of a factory. The caller must know the payload type at compile time.
    @inline(__always)
    package mutating func add<M: SourceMaker>(_ maker: M.Type, _ make: @escaping @Sendable (M) -> any Source) {
        makers[ObjectIdentifier(maker)] = { ($0 as? M).map(make) }
    }

    func source<M: SourceMaker>(_ maker: M) -> (any Source)? { makers[ObjectIdentifier(M.self)]?(maker) }
}

/// A factory that creates a sink for any payload type that can be written.
package protocol SinkMaker: SendableMetatype {
    /// Creates the sink for one payload type.
    func make<P: WireEncodable>(_ payload: P.Type) -> CompiledSink<P>
}

/// The sinks that are specialized for one payload type, by the type of their factory.
public struct CompiledSinks: Sendable {
    private var makers: [ObjectIdentifier: @Sendable (any SinkMaker) -> (any Sink)?] = [:]

    /// Adds a closure that creates the sink of a factory. The caller must know the payload type at compile time.
    @inline(__always)
    package mutating func add<M: SinkMaker>(_ maker: M.Type, _ make: @escaping @Sendable (M) -> any Sink) {
        makers[ObjectIdentifier(maker)] = { ($0 as? M).map(make) }
    }

    fileprivate func sink<M: SinkMaker>(_ maker: M) -> (any Sink)? { makers[ObjectIdentifier(M.self)]?(maker) }
}

extension SinkMaker {
    /// Creates the sink for the payload type of an input port, specialized for that type if possible.
    ///
    /// - Throws: A configuration error for a payload that cannot be written.
    package func sink(for input: PortType) throws -> any Sink { sink(try writableType(of: input)) }

    private func sink<P: WireEncodable>(_ payload: P.Type) -> any Sink { P._sinks.sink(self) ?? make(payload) }
}

/// A source that forwards to specialized code through closures.
package struct CompiledSource<P: Payload>: Source {
    package typealias Output = P

    package let output: PortType
    package let timing: SourceTiming
    package let mayBlock: Bool
    package let commits: Bool
    private let opening: @Sendable (SourceContext) async throws -> Void
    private let reading: @Sendable (inout SourceBatch<P>) async throws -> Bool
    private let noting: @Sendable () -> Void
    private let closing: @Sendable () async -> Void
    /// A copy of the wrapped source, in its state before it was opened.
    let original: any Source

    /// Wraps a source whose type is known at compile time.
    @inline(__always)
    package init<S: Source>(_ source: S) where S.Output == P {
        original = source
        output = source.output
        timing = source.timing
        mayBlock = source.mayBlock
        commits = source.commits
        let box = ComponentBox(source)
        opening = { try await box.component.open($0) }
        reading = { try await box.component.read(into: &$0) }
        noting = { box.component.noteTaken() }
        closing = { await box.component.close() }
    }

    package mutating func open(_ context: SourceContext) async throws { try await opening(context) }

    package mutating func read(into batch: inout SourceBatch<P>) async throws -> Bool { try await reading(&batch) }

    package mutating func noteTaken() { noting() }

    package mutating func close() async { await closing() }
}

/// A sink that forwards to specialized code through closures.
package struct CompiledSink<P: Payload>: Sink {
    package typealias Input = P

    package let mayBlock: Bool
    private let opening: @Sendable (SinkContext) async throws -> Void
    private let counting: @Sendable () -> Int
    private let discarding: @Sendable () -> Void
    private let writing: @Sendable (Frame<P>) throws -> Void
    private let flushing: @Sendable () throws -> Void
    private let draining: @Sendable () throws -> Void
    private let ending: @Sendable (StreamID, StreamEnd) throws -> Void
    private let releasing: @Sendable (StreamID) -> Void
    private let closing: @Sendable () async throws -> Void

    /// Wraps a sink whose type is known at compile time.
    @inline(__always)
    package init<S: Sink>(_ sink: S) where S.Input == P {
        mayBlock = sink.mayBlock
        let box = ComponentBox(sink)
        opening = { try await box.component.open($0) }
        counting = { box.component.unwritten }
        discarding = { box.component.discard() }
        writing = { try box.component.write($0) }
        flushing = { try box.component.flush() }
        draining = { try box.component.drain() }
        ending = { try box.component.end($0, $1) }
        releasing = { box.component.release($0) }
        closing = { try await box.component.close() }
    }

    package mutating func open(_ context: SinkContext) async throws { try await opening(context) }

    package var unwritten: Int { counting() }

    package mutating func write(_ frame: Frame<P>) throws { try writing(frame) }

    package mutating func discard() { discarding() }

    package mutating func flush() throws { try flushing() }

    package mutating func drain() throws { try draining() }

    package mutating func end(_ stream: StreamID, _ end: StreamEnd) throws { try ending(stream, end) }

    package mutating func release(_ stream: StreamID) { releasing(stream) }

    package mutating func close() async throws { try await closing() }
}

// `@unchecked Sendable`: the engine calls a component from one task only, one call at a time.
private final class ComponentBox<C>: @unchecked Sendable {
    @exclusivity(unchecked) var component: C

    init(_ component: C) { self.component = component }
}

/// Returns the payload type of a sink's input port, with which a generic function can be called.
///
/// - Throws: A configuration error (`sink.not_writable`) if the payload cannot be written.
package func writableType(of input: PortType) throws -> any WireEncodable.Type {
    guard let type = input.payload as? any WireEncodable.Type else {
        throw PipelineError(
            .configuration, "sink.not_writable", "a payload of kind \(input.kind) cannot be written",
            help: "a payload of your own can be written if it conforms to MessagePayload")
    }
    return type
}
