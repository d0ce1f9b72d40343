import Pipeline
import Stages

/// Reports what happens to the connections of a socket.
struct SocketReport: Sendable {
    /// The `id` of the component.
    let id: String
    private let log: Log
    private let counts: Counts

    /// Creates a report to the run of a source.
    init(_ context: SourceContext) { (id, log, counts) = (context.id, context.log, context.counts) }

    /// Creates a report to the run of a sink or an asynchronous stage.
    init(_ context: SinkContext) { (id, log, counts) = (context.id, context.log, context.counts) }

    /// Creates a report to a log only.
    init(id: String, log: Log) { (self.id, self.log, counts) = (id, log.about(id), Counts()) }

    /// Logs a line about the component.
    func say(_ level: Log.Level, _ line: String) { log(level, line) }

    /// Increments a counter.
    func count(_ name: String) { counts.add(name) }

    /// Reports the peers of a socket.
    func note(_ peers: [SocketPeers], of socket: AnyObject) { counts.note(peers, of: socket) }
}
