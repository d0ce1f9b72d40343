import MCAP
import Pipeline

/// Brings what a source of a recorded run brought, when it did: in a live run by the run's clock, else as it stands there.
package struct BoxArrivals<P: WirePayload>: Source {
    package typealias Output = P

    private let path: String
    private let node: String
    private let origin: UInt64
    package let timing: SourceTiming
    package let output: PortType
    private var context: SourceContext?
    private var frames: MCAPFrames<P>?
    private var begin: Int64 = 0
    private var held: (frame: Frame<P>, moment: Int64)?

    package var mayBlock: Bool { true }

    /// - Parameter origin: The log time that the beginning of the run stands for.
    fileprivate init(_ path: String, _ node: String, origin: UInt64, timing: SourceTiming, output: PortType) {
        (self.path, self.node, self.origin) = (path, node, origin)
        (self.timing, self.output) = (timing, output)
    }

    package mutating func open(_ context: SourceContext) async throws {
        self.context = context
        begin = context.clock.now
        let node = node
        frames = try MCAPFrames(
            FileInput(descriptor: try SystemCalls.openToRead(path)),
            .init(
                name: path, decode: DecodeOptions(), defaultStream: StreamID(node), landmarks: LandmarkTraits(),
                isWanted: { channel in
                    let known = RecordingBox.role(of: channel)
                    return known?.role == .input && known?.node == node
                }, log: context.log))
    }

    package mutating func read(into batch: inout SourceBatch<P>) async throws -> Bool {
        guard let context, let frames else { return false }
        while !batch.isFull, !context.stop.isRequested {
            if let next = held {
                if timing == .live, next.moment > context.clock.now {
                    if !batch.isEmpty { return true }
                    try await context.clock.sleep(until: next.moment)
                    continue
                }
                held = nil
                batch.append(next.frame)
                continue
            }
            let item: ReadItem<P>?
            do { item = try frames.next() } catch { throw error.reading(path) }
            switch item {
            case .frame(let frame):
                let late = Int64(clamping: frames.logTime.subtractingSaturated(origin))
                held = (frame, begin.addingSaturated(late))
            case .empty(let stream, let time, let number):
                batch.drop(stream: stream, at: time, sequence: number, .empty)
            case .failure(let error, let stream): batch.fail(error, stream: stream)
            case .end(let stream): batch.end(stream)
            case nil: return false
            }
        }
        return !context.stop.isRequested
    }

    package mutating func close() async { frames = nil }
}

extension Plan {
    /// The pipeline with what a recorded run brought in the places of its sources.
    ///
    /// - Throws: A configuration error for a source whose frames no recording holds.
    package func replaying(_ path: String, origin: UInt64) throws -> Plan {
        var plan = self
        for node in nodes {
            guard case .source(let source, _) = node.body else { continue }
            guard let kind = PayloadKind(rawValue: source.output.kind.rawValue) else {
                throw PipelineError(.configuration, "replay.kind", "\"\(node.id)\" brings what no recording holds")
            }
            plan = try plan.replacing(
                node.id,
                source: kind.source(
                    BoxMaker(
                        path: path, node: node.id, origin: origin, timing: source.timing, output: source.output)))
        }
        return plan
    }
}

private struct BoxMaker: SourceMaker {
    let path: String
    let node: String
    let origin: UInt64
    let timing: SourceTiming
    let output: PortType

    func make<P: WirePayload>(_ payload: P.Type) -> CompiledSource<P> {
        CompiledSource(BoxArrivals<P>(path, node, origin: origin, timing: timing, output: output))
    }
}
