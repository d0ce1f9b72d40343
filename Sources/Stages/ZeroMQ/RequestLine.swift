import Pipeline

/// The requests on their way, and the socket they go by: sent, awaited for as long as they may take, and sent again, to the
/// next worker where there are several. When nobody has answered anything for so long that each of them had its turn, the
/// connections are made anew (the lazy pirate of ZeroMQ's guide).
///
/// The socket is a DEALER for `req` as well, which then has one request on its way: a REQ could not ask again.
///
/// Belongs to the thread that made it.
final class RequestLine {
    /// How a request ended.
    struct Ending {
        let number: UInt64
        let result: Result<[UInt8], any Error>
    }

    private struct Request {
        let number: UInt64
        let stream: String
        let payload: [UInt8]
        /// When to give up waiting, in milliseconds; `nil` before it is to be sent.
        var deadline: Int64?
        /// Whether it has been sent since, and not only waits for somebody to come.
        var isSent = false
        var tries = 0

        /// Lets it be sent once more.
        mutating func renew() { (deadline, isSent) = (nil, false) }
    }

    private let options: ZMQRequest.Options
    private let report: SocketReport
    private var socket: ZMQSocket
    /// In the order asked.
    private var requests: [Request] = []
    /// Since when nobody has answered what was asked, in milliseconds.
    private var silence: Int64

    init(_ options: ZMQRequest.Options, _ report: SocketReport) throws {
        self.options = options
        self.report = report
        silence = Self.now
        socket = try Self.connect(options, report)
    }

    private static func connect(_ options: ZMQRequest.Options, _ report: SocketReport) throws -> ZMQSocket {
        let socket = try ZMQSocket(.dealer, options.socketOptions, report)
        do {
            try socket.limit(messageBytes: options.maxMessageBytes)
            // Nothing waits for a worker that is not there while another one is.
            try socket.waitsForPeers()
            for endpoint in try socket.attach(options.socketOptions) { report.say(.info, "bound to \(endpoint)") }
        } catch {
            socket.close(discardingUnsent: true)
            throw error
        }
        return socket
    }

    /// Takes a request; it is sent by ``move(_:)``.
    func add(_ number: UInt64, _ stream: String, _ payload: [UInt8]) {
        // Where nothing was asked, that nobody answers means nothing.
        if requests.isEmpty { silence = Self.now }
        requests.append(Request(number: number, stream: stream, payload: payload))
    }

    /// Forgets a request; its answer, if it comes, is thrown away.
    func forget(_ number: UInt64) { requests.removeAll { $0.number == number } }

    /// Closes the socket.
    func close() { socket.close(discardingUnsent: true) }

    /// Sends what can be sent, waits until something happens, and says which requests have ended.
    func move(_ wake: WakePipe) throws -> [Ending] {
        var endings = try expire()
        try send()
        endings += try receive()
        guard endings.isEmpty else { return endings }
        try wait(wake)
        return try receive()
    }

    private static var now: Int64 { SystemClock().now / 1_000_000 }

    private func send() throws {
        let limit = options.socket == .req ? 1 : Int.max
        var open = requests.count { $0.deadline != nil }
        var isBlocked = false
        for index in requests.indices where !requests[index].isSent {
            if requests[index].deadline == nil {
                guard open < limit else { return }
                requests[index].deadline = Self.now + Int64(options.timeoutMs)
                requests[index].tries += 1
                open += 1
            }
            guard !isBlocked else { continue }
            let request = requests[index]
            let number = withUnsafeBytes(of: request.number.bigEndian) { Array($0) }
            let isSent = try socket.send([number, [], Array(request.stream.utf8), request.payload])
            requests[index].isSent = isSent
            isBlocked = !isSent
        }
    }

    private func receive() throws -> [Ending] {
        var endings: [Ending] = []
        while let parts = try socket.receive() {
            silence = Self.now
            // The number, the empty frame, then the answer, of which the last frame counts.
            let head = socket.part(0)
            guard parts >= 3, head.count == 8 else {
                report.count("answers_malformed")
                continue
            }
            let number = UInt64(bigEndian: head.loadUnaligned(as: UInt64.self))
            guard let index = requests.firstIndex(where: { $0.number == number }) else {
                report.count("answers_late")
                continue
            }
            requests.remove(at: index)
            endings.append(Ending(number: number, result: .success(Array(socket.part(1)))))
        }
        return endings
    }

    /// Gives up what has been tried often enough, and asks again for the rest of what is late.
    private func expire() throws -> [Ending] {
        let now = Self.now
        let isLate = { (request: Request) in request.deadline.map { $0 <= now } ?? false }
        guard requests.contains(where: isLate) else { return [] }
        var endings: [Ending] = []
        for request in requests where isLate(request) && request.tries > options.retries {
            report.count("requests_unanswered")
            let error = PipelineError.frame(
                "zmq.no_answer",
                "no worker answered within \(options.timeoutMs) ms, asked \(request.tries == 1 ? "once" : "\(request.tries) times")",
                help:
                    "is a worker running at the address given? raise timeout_ms for slow ones; on_error: skip goes on without"
            )
            endings.append(Ending(number: request.number, result: .failure(error)))
        }
        let ended = Set(endings.map(\.number))
        requests.removeAll { ended.contains($0.number) }
        for index in requests.indices where isLate(requests[index]) {
            report.count("requests_repeated")
            requests[index].renew()
        }
        try reconnectIfSilent(at: now)
        return endings
    }

    /// Makes the connections anew when every worker had the time to answer something. An address that is bound stays: workers
    /// come back to it by themselves.
    private func reconnectIfSilent(at now: Int64) throws {
        // Requests are dealt out among those that are there: the first may be dealt two before another has come.
        let workers = options.socketOptions.connect.count
        let turns = Int64(workers == 1 ? 1 : workers + 1)
        guard options.socketOptions.bind.isEmpty, now - silence >= Int64(options.timeoutMs) * turns else {
            return
        }
        silence = now
        socket.close(discardingUnsent: true)
        socket = try Self.connect(options, report)
        // What was under way on the old connections is lost with them, and that was no try of its own.
        for index in requests.indices where requests[index].deadline != nil {
            requests[index].tries -= 1
            requests[index].renew()
        }
    }

    private func wait(_ wake: WakePipe) throws {
        let deadline = requests.compactMap(\.deadline).min()
        let isBlocked = requests.contains { $0.deadline != nil && !$0.isSent }
        if isBlocked {
            // Nobody was there, or there was no room: look again soon.
            try socket.waitToReceive(wake, until: min(deadline ?? .max, Self.now + 10))
        } else if let deadline {
            try socket.waitToReceive(wake, until: deadline)
        } else {
            try socket.waitToReceive(wake)
        }
    }
}
