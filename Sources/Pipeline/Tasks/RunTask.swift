/// What a task of a run is.
enum RunTaskKind {
    case source, segment, sink
    /// A sink that is called directly by another task.
    case fusedSink
    /// What works for a segment, and for nobody else.
    case worker

    /// Whether it goes on by itself: it wakes others and waits for others, and is not only called by another task.
    var isOnItsOwn: Bool { self != .fusedSink && self != .worker }
}

/// A task of a run.
protocol RunTask: AnyObject, Sendable {
    /// Its node (or nodes), for messages.
    var name: String { get }

    /// What it is.
    var kind: RunTaskKind { get }

    /// The thread it needs for itself, if it may block.
    var executor: ThreadExecutor? { get }

    /// Opens what must be open before anything runs.
    func open() async throws

    /// Works until there is nothing more to do.
    func run() async

    /// Closes what was opened.
    func close() async
}
