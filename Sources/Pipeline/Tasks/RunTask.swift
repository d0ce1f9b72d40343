/// The kind of a run's task.
enum RunTaskKind {
    case source, segment, sink
    /// A sink that another task calls directly.
    case fusedSink
    /// A worker of one segment.
    case worker

    /// Whether the task runs independently. Workers serve another task, and fused sinks are called by another task.
    var isOnItsOwn: Bool { self != .fusedSink && self != .worker }
}

/// A task of a run.
protocol RunTask: AnyObject, Sendable {
    /// The `id` of the task's first node.
    var name: String { get }

    /// The task's kind.
    var kind: RunTaskKind { get }

    /// The thread that the task needs for itself, if it may block.
    var executor: ThreadExecutor? { get }

    /// Whether the resources of an asynchronous stage or a sink are open. If it has a task of its own, they are closed when
    /// everything that it reads has ended.
    var isOpen: Bool { get }

    /// Opens the resources that must be open before any task runs.
    func open() async throws

    /// Works until there is nothing left to do.
    func run() async

    /// Closes the resources that were opened.
    func close() async

    /// Lets a sink write everything that it holds. The run must be frozen.
    func drain()

    /// Forgets streams that another process continues with: drops the frames that the task holds of these streams, but does not
    /// end the streams. The run must be frozen.
    func release(_ streams: Set<StreamID>)
}

extension RunTask {
    var executor: ThreadExecutor? { nil }
    var isOpen: Bool { true }

    func open() async throws {}
    func close() async {}
    func drain() {}
    func release(_ streams: Set<StreamID>) {}
}
