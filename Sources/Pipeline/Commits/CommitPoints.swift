import Synchronization

/// The commit points of a run: moments at which the run is at rest, so that the run knows which frames are accounted for.
///
/// At a commit point, each participating source reports the position up to which its frames are accounted for. A sink with
/// transactions makes these positions permanent together with its output. Positions that no sink takes are made permanent by their
/// sources.
final class CommitPoints: Sendable {
    typealias Position = @Sendable (HeldStreams) throws -> (any CommitPosition)?
    typealias Commit = @Sendable ([any CommitPosition]) throws -> [any CommitPosition]
    typealias Reach = @Sendable (CommitRequest) async throws -> Bool

    private struct State {
        var shared: [String: SharedObject] = [:]
        var sources: [(id: String, position: Position)] = []
        var sinks: [Commit] = []
        var numbers: [String: OutputNumbers] = [:]
        var reach: Reach?
    }

    private let state = Lock(State())

    /// The output that earlier runs have written, for the streams that this run reads again.
    let written = WrittenOutputs()

    /// Sets the function that brings the run to a commit point.
    func onReach(_ body: @escaping Reach) { state.withLock { $0.reach = body } }

    /// Adds a source.
    func addSource(_ id: String, _ position: @escaping Position) {
        state.withLock { $0.sources.append((id, position)) }
    }

    /// Removes a source, which has ended.
    func removeSource(_ id: String) { state.withLock { $0.sources.removeAll { $0.id == id } } }

    /// Adds a sink. `commit` returns the positions that it has not made permanent.
    func addSink(_ commit: @escaping Commit) { state.withLock { $0.sinks.append(commit) } }

    /// Creates the numbers of a sink's output.
    func addNumbers(_ sink: String, maxStreams: Int) -> OutputNumbers {
        let numbers = OutputNumbers(sink, maxStreams: maxStreams, written)
        state.withLock { $0.numbers[sink] = numbers }
        return numbers
    }

    /// The numbers of the sinks that number their output, by the `id` of the sink.
    var numbers: [String: OutputNumbers] { state.withLock { $0.numbers } }

    /// Returns an object that several sinks of the run share, and makes it if there is none yet. While one sink makes it, the
    /// others wait, so that it is made only once.
    func shared<Object: Sendable>(_ key: String, _ make: () throws -> Object) rethrows -> Object {
        let place = state.withLock { state in
            let place = state.shared[key] ?? SharedObject()
            state.shared[key] = place
            return place
        }
        return try place.object.withLock { object in
            // `flatMap` leaves out an absent object. A cast alone would accept `nil` as an `Object` if that type is optional.
            if let known = object.flatMap({ $0 as? Object }) { return known }
            let made = try make()
            object = made
            return made
        }
    }

    /// Forgets all participants, because the run is over. Their connections close.
    func end() {
        // Release the participants outside the lock, because closing their connections takes time.
        let ended = state.withLock { state in
            defer { state = State() }
            return state
        }
        _ = consume ended
    }

    /// Brings the run to a commit point; see ``SourceContext/commit(releasing:onRelease:)``.
    func reach(_ request: CommitRequest) async throws -> Bool {
        guard let reach = state.withLock({ $0.reach }) else { return false }
        return try await reach(request)
    }

    /// Commits the positions of all sources. The run must be at rest or over.
    ///
    /// - Parameter held: Returns, for a source, those of its frames that the pipeline still holds.
    func commit(_ held: (_ source: String) -> HeldStreams) throws {
        let (sources, sinks) = state.withLock { ($0.sources, $0.sinks) }
        let positions = try sources.compactMap { try $0.position(held($0.id)) }
        var left = positions
        for commit in sinks { left = try commit(left) }
        for position in left { try position.commit() }
    }
}

/// The place of an object that several sinks share. It is empty until the object has been made.
private final class SharedObject: Sendable {
    let object = Lock<(any Sendable)?>(nil)
}

/// What a source asks for when it brings the run to a commit point.
struct CommitRequest: Sendable {
    /// The source. It must make the request during its call of `read(into:)`.
    let source: String
    /// The streams of this source that another process continues with. They are released after the commit.
    let released: Set<StreamID>
    /// Called when the streams are released, while the run is frozen.
    let onRelease: @Sendable () -> Void
}
