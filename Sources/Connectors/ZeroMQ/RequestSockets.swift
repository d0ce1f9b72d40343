import Pipeline

/// The requests in flight, and their sockets.
///
/// There is one socket for each worker that the pipeline connects to, and one socket for all bound addresses together.
/// ``RequestScheduler`` decides which worker gets a request, and when a request is repeated. The connection to a worker that does
/// not answer is reopened (the Lazy Pirate pattern of the ZeroMQ guide).
///
/// All sockets are DEALER sockets, even for the socket type `req`, because a REQ socket cannot repeat a request. With `req`, only
/// one request is in flight.
///
/// Use an instance only on the thread that created it.
final class RequestSockets {
    /// The outcome of a request.
    struct Ending {
        let number: UInt64
        let result: Result<[UInt8], any Error>
    }

    private struct Request {
        let stream: String
        let payload: [UInt8]
    }

    private struct Worker {
        let options: ZMQSocketOptions
        var socket: ZMQSocket
        /// How many times the connection has been lost or has failed so far.
        var breaks = 0

        /// The addresses of the worker, for messages.
        var name: String { (options.bind + options.connect).map(\.text).joined(separator: ", ") }
    }

    private let options: ZMQRequest.Options
    private let report: SocketReport
    private var workers: [Worker] = []
    private var scheduler: RequestScheduler
    private var requests: [UInt64: Request] = [:]

    init(_ options: ZMQRequest.Options, _ report: SocketReport) throws {
        self.options = options
        self.report = report
        let places = options.socketOptions.separated
        scheduler = RequestScheduler(
            places.map { WorkerState(isBound: !$0.bind.isEmpty) }, timeoutMs: options.timeoutMs,
            retries: options.retries, limit: options.socket == .req ? 1 : .max)
        do {
            for place in places { workers.append(Worker(options: place, socket: try socket(place))) }
        } catch {
            close()
            throw error
        }
    }

    private func socket(_ place: ZMQSocketOptions, after former: ZMQSocket? = nil) throws -> ZMQSocket {
        let socket = try ZMQSocket(.dealer, place, report, after: former)
        do {
            try socket.limit(messageBytes: options.maxMessageBytes)
            // Sending fails without a connected peer, so that no request waits for an absent worker while another is connected.
            try socket.waitsForPeers()
            for endpoint in try socket.attach(place) { report.say(.info, "bound to \(endpoint)") }
        } catch {
            socket.close(discardingUnsent: true)
            throw error
        }
        return socket
    }

    /// Adds a request; ``move(_:)`` sends it.
    func add(_ number: UInt64, _ stream: String, _ payload: [UInt8]) {
        requests[number] = Request(stream: stream, payload: payload)
        scheduler.add(number)
    }

    /// Removes a request. An answer that arrives later is discarded.
    func forget(_ number: UInt64) {
        requests[number] = nil
        scheduler.forget(number)
    }

    /// Closes the sockets.
    func close() { for worker in workers { worker.socket.close(discardingUnsent: true) } }

    /// Sends all requests that can be sent, and returns the requests that have ended. If none has ended yet, waits for an event
    /// first, and may return none.
    func move(_ wake: WakePipe) throws -> [Ending] {
        // Reads the answers that have already arrived first, so that their requests do not expire.
        var endings = try receive()
        endings += try expire()
        try send()
        guard endings.isEmpty else { return endings }
        try ZMQSocket.wait(for: workers.map(\.socket), orToSend: scheduler.isBlocked, wake, until: scheduler.deadline)
        noteBreaks()
        return try receive()
    }

    private static var now: Int64 { SystemClock().now / 1_000_000 }

    private func send() throws {
        try scheduler.deal(at: Self.now) { number, worker in
            guard let request = requests[number] else { return false }
            let head = withUnsafeBytes(of: number.bigEndian) { Array($0) }
            return try workers[worker].socket.send([head, [], Array(request.stream.utf8), request.payload])
        }
    }

    private func receive() throws -> [Ending] {
        var endings: [Ending] = []
        for (index, worker) in workers.enumerated() {
            try worker.socket.reading {
                while let parts = try worker.socket.receive() {
                    // An answer consists of the request number, an empty frame, and the answer itself. Only its last frame is
                    // used.
                    let head = worker.socket.part(0)
                    let isAnswer = parts >= 3 && head.count == 8
                    let number = isAnswer ? UInt64(bigEndian: head.loadUnaligned(as: UInt64.self)) : nil
                    if scheduler.answer(to: number, by: index, at: Self.now), let number {
                        requests[number] = nil
                        endings.append(Ending(number: number, result: .success(Array(worker.socket.part(parts - 1)))))
                    } else {
                        report.count(isAnswer ? "answers_late" : "answers_malformed")
                    }
                }
            }
        }
        return endings
    }

    /// Ends requests without tries left, and reopens the connections to silent workers. A bound socket stays open, because
    /// workers reconnect to it by themselves.
    private func expire() throws -> [Ending] {
        let expiry = scheduler.expire(at: Self.now)
        for _ in 0..<expiry.repeated { report.count("requests_repeated") }
        for worker in expiry.silent {
            workers[worker].socket.noteSilence(of: workers[worker].name, forMs: options.timeoutMs)
            if !scheduler.peers[worker].isBound { reopen(worker) }
        }
        return expiry.givenUp.map { request in
            requests[request.number] = nil
            report.count("requests_unanswered")
            return Ending(number: request.number, result: .failure(unanswered(request)))
        }
    }

    /// Replaces the connection to a worker by a new one. If that fails, for example because too many files are open, the old one
    /// stays until the worker is found to be silent again.
    private func reopen(_ worker: Int) {
        let old = workers[worker].socket
        do {
            workers[worker].socket = try socket(workers[worker].options, after: old)
            old.close(discardingUnsent: true)
        } catch {
            let reason = PipelineError(wrapping: error).description
            report.say(
                .warning, "the connection to \(workers[worker].name) stays, because it cannot be reopened: \(reason)")
        }
    }

    private func unanswered(_ request: RequestScheduler.Expiry.GivenUp) -> PipelineError {
        let tries = request.tries == 1 ? "once" : "\(request.tries) times"
        return request.wasAsked
            ? .frame(
                "zmq.no_answer", "no worker answered within \(options.timeoutMs) ms, asked \(tries)",
                help: "raise timeout_ms for slow workers; on_error: skip continues without the frame")
            : .frame(
                "zmq.no_worker", "no worker was connected within \(options.timeoutMs) ms, tried \(tries)",
                help:
                    "is a worker running at \(workers.map(\.name).joined(separator: ", "))? on_error: skip continues without the frame"
            )
    }

    private func noteBreaks() {
        for index in workers.indices {
            let breaks = workers[index].socket.breaks
            if breaks > workers[index].breaks { scheduler.lose(index, at: Self.now) }
            workers[index].breaks = breaks
        }
    }
}
