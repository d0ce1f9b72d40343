import Pipeline
import Stages

/// Where a socket tells what happens to its connections.
struct SocketReport: Sendable {
    /// The component's `id`.
    let id: String
    private let log: Log
    private let counts: Counts

    /// Tells it to a source's run.
    init(_ context: SourceContext) { (id, log, counts) = (context.id, context.log, context.counts) }

    /// Tells it to a sink's or an asynchronous stage's run.
    init(_ context: SinkContext) { (id, log, counts) = (context.id, context.log, context.counts) }

    /// Tells it to whoever reads `log`.
    init(id: String, log: Log) { (self.id, self.log, counts) = (id, log.about(id), Counts()) }

    /// Says a line about the component.
    func say(_ level: Log.Level, _ line: String) { log(level, line) }

    /// Counts under a name.
    func count(_ name: String) { counts.add(name) }

    /// Says how a socket stands with its peers.
    func note(_ peers: [SocketPeers], of socket: AnyObject) { counts.note(peers, of: socket) }
}
