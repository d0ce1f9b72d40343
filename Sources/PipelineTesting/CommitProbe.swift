import Pipeline
import Synchronization

/// Creates a source that requests a commit point after each of its frames, and records which frames the pipeline holds then.
///
/// ```swift
/// let probe = CommitProbe(frames)
/// plan.add("source", source: probe.source)
/// let report = await Run(plan).finished()
/// #expect(probe.held[0].since("pen") == frames[0].timestamp)
/// ```
public final class CommitProbe<Output: Payload>: Sendable {
    private struct State: Sendable {
        var held: [HeldStreams] = []
        var released: [Int: Set<StreamID>] = [:]
    }

    /// The frames of the source.
    public let frames: [Frame<Output>]
    private let state: Lock<State>
    private let onCommit: @Sendable (Int) -> Void

    /// Creates a probe.
    ///
    /// - Parameters:
    ///   - frames: The frames of the source.
    ///   - released: The streams to release, by the number of frames after which to release them.
    ///   - onCommit: Called at each commit point, with the number of commit points so far. After each frame, this is the number of
    ///     frames so far; at the end of the run, it is one more.
    public init(
        _ frames: [Frame<Output>], releasing released: [Int: Set<StreamID>] = [:],
        onCommit: @escaping @Sendable (Int) -> Void = { _ in }
    ) {
        self.frames = frames
        self.onCommit = onCommit
        state = Lock(State(released: released))
    }

    /// For each frame of the source, the streams whose frames the pipeline still held after it. The last element is recorded at
    /// the end of a successful run.
    public var held: [HeldStreams] { state.withLock { $0.held } }

    /// The source.
    public var source: CommitProbeSource<Output> { CommitProbeSource(self) }

    fileprivate func note(_ held: HeldStreams) {
        let count = state.withLock { state in
            state.held.append(held)
            return state.held.count
        }
        onCommit(count)
    }

    fileprivate func released(after count: Int) -> Set<StreamID> { state.withLock { $0.released[count] ?? [] } }
}

/// The source of a ``CommitProbe``.
public struct CommitProbeSource<Output: Payload>: Source {
    private let probe: CommitProbe<Output>
    private var context: SourceContext?
    private var count = 0

    fileprivate init(_ probe: CommitProbe<Output>) { self.probe = probe }

    public var commits: Bool { true }

    public mutating func open(_ context: SourceContext) async throws {
        self.context = context
        context.commits { [probe] held in
            probe.note(held)
            return nil
        }
    }

    public mutating func read(into batch: inout SourceBatch<Output>) async throws -> Bool {
        if count > 0 { _ = try await context?.commit(releasing: probe.released(after: count)) }
        guard count < probe.frames.count else { return false }
        batch.append(probe.frames[count])
        count += 1
        return true
    }
}
