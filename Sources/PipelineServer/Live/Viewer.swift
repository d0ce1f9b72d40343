/// Somebody who looks at a run over a WebSocket: what he wants to see, and what waits to be sent to him.
///
/// What waits is bounded. Who reads slower than it comes misses the oldest.
// Belongs to the server's thread.
class Viewer: WebSocketHandler {
    let id: WebRequestID
    unowned let hub: LiveHub

    /// The nodes to look at, with how many frames of each may still be sent.
    var watched: [String: FrameBudget] = [:]

    private var waiting: [WebMessage] = []
    private var first = 0
    private var waitingBytes = 0
    private var state: WebMessage?
    /// Set when nothing more will come.
    private(set) final var isOver = false

    private static var mostWaiting: Int { 256 }
    private static var mostBytes: Int { 2 << 20 }

    init(_ id: WebRequestID, _ hub: LiveHub) { (self.id, self.hub) = (id, hub) }

    // MARK: What differs

    /// Whether results and drops are to be told.
    var wantsEvents: Bool { false }

    /// Whether the state is due at a time, in milliseconds.
    func wantsState(at now: Int64) -> Bool { false }

    /// Sends the first messages.
    func welcome() {}

    /// What tells of a frame of a node.
    ///
    /// - Parameter written: What others were told of it, by its number; may be used again.
    func messages(of seen: SeenFrame, at node: String, _ written: inout [Int: WebMessage]) -> [WebMessage] { [] }

    /// Something is looked after, at a time in milliseconds.
    func tick(_ now: Int64) {}

    /// The run is over.
    func runEnded() {}

    func received(_ message: [UInt8], isBinary: Bool) {}

    // MARK: What waits

    /// Says something that comes in its order.
    final func send(_ message: WebMessage) {
        waiting.append(message)
        waitingBytes += message.count
        while waiting.count - first > Self.mostWaiting || waitingBytes > Self.mostBytes && waiting.count - first > 1 {
            waitingBytes -= waiting[first].count
            first += 1
        }
        if first > 64, first > waiting.count / 2 {
            waiting.removeFirst(first)
            first = 0
        }
        hub.wantsToWrite(self)
    }

    /// Says how the run stands, in place of what was said of that before.
    func send(state message: WebMessage, at now: Int64) {
        state = message
        hub.wantsToWrite(self)
    }

    /// Ends, once all has been sent.
    final func end() {
        isOver = true
        hub.wantsToWrite(self)
    }

    final func next() -> WebMessage? {
        if first < waiting.count {
            let message = waiting[first]
            first += 1
            waitingBytes -= message.count
            if first == waiting.count {
                waiting.removeAll(keepingCapacity: true)
                first = 0
            }
            return message
        }
        return state.take()
    }

    final func closed() { hub.remove(self) }
}
