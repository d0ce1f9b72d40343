import Pipeline
import Stages

/// Reports the connection events of a socket to a log and to the report of the run.
struct SocketReport: Sendable {
    /// The `id` of the component.
    let id: String
    private let log: Log
    private let counts: Counts

    /// Creates a report for the socket of a source.
    init(_ context: SourceContext) { (id, log, counts) = (context.id, context.log, context.counts) }

    /// Creates a report for the socket of a sink or an asynchronous stage.
    init(_ context: SinkContext) { (id, log, counts) = (context.id, context.log, context.counts) }

    /// Creates a report that only logs.
    init(id: String, log: Log) { (self.id, self.log, counts) = (id, log.about(id), Counts()) }

    /// Logs a line about the component.
    func say(_ level: Log.Level, _ line: String) { log(level, line) }

    /// Increments a counter.
    func count(_ name: String) { counts.add(name) }

    /// Reports the endpoints of a socket, with the number of peers at each.
    func note(_ peers: [SocketPeers], of socket: AnyObject) { counts.note(peers, of: socket) }
}
