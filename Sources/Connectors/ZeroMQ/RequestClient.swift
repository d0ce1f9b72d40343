import Pipeline
import Synchronization

/// Passes requests from many tasks to the thread that owns the sockets, and returns the answers.
///
/// The first frame of each request is a number, followed by the empty frame that REQ sends. A REP or ROUTER socket returns the
/// number with the answer. Therefore, answers can arrive in any order, and a late answer is not taken for the awaited one.
final class RequestClient: Sendable {
    private enum Call {
        case ask(UInt64, String, [UInt8], CheckedContinuation<[UInt8], any Error>)
        case cancel(UInt64)
        case close
    }

    private struct State {
        var calls: [Call] = []
        var next: UInt64 = 0
        /// The numbers of the requests that are not posted yet, and whether they were canceled.
        var unposted: [UInt64: Bool] = [:]
        /// The error of all further requests, or `nil` as long as the sockets are open.
        var ending: (any Error)?
    }

    private let state = Lock(State())
    private let wake: WakePipe
    private let ended: WakePipe

    /// Opens the sockets on a new thread.
    init(_ options: ZMQRequest.Options, _ report: SocketReport) throws {
        let (wake, ended, ready) = (try WakePipe(), try WakePipe(), try WakePipe())
        (self.wake, self.ended) = (wake, ended)
        let problem = Lock<(any Error)?>(nil)
        startThread { [self] in
            do {
                let sockets = try RequestSockets(options, report)
                ready.signal()
                work(sockets, report)
            } catch {
                problem.withLock { $0 = error }
                ready.signal()
            }
            ended.signal()
        }
        ready.wait()
        if let error = problem.withLock({ $0 }) { throw error }
    }

    /// Sends a request and waits for its answer. Returns the last frame of the answer.
    ///
    /// - Throws: A frame error when no try was answered in time. A `CancellationError` when the task was canceled or the sockets
    ///   are closed. The error that made the sockets unusable.
    func ask(_ stream: String, _ payload: [UInt8]) async throws -> [UInt8] {
        let number = state.withLock { state in
            state.next += 1
            state.unposted[state.next] = false
            return state.next
        }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                if !post(.ask(number, stream, payload, continuation)) {
                    continuation.resume(throwing: state.withLock { $0.ending } ?? CancellationError())
                }
            }
        } onCancel: {
            _ = post(.cancel(number))
        }
    }

    /// Closes the sockets and cancels the open requests.
    func close() async {
        guard post(.close) else { return }
        ended.wait()
    }

    /// Posts a call to the thread. Posts nothing and returns `false` if the sockets are closed, if the call is a request that was
    /// canceled before, or if it cancels a request that is not posted yet.
    private func post(_ call: Call) -> Bool {
        let isTaken = state.withLock { state in
            guard state.ending == nil else { return false }
            switch call {
            case .ask(let number, _, _, _):
                if state.unposted.removeValue(forKey: number) == true { return false }
            case .cancel(let number):
                if state.unposted[number] != nil {
                    state.unposted[number] = true
                    return false
                }
            case .close: state.ending = CancellationError()
            }
            state.calls.append(call)
            return true
        }
        if isTaken { wake.signal() }
        return isTaken
    }

    // MARK: On the thread

    /// Returns the calls that have been posted since this method was last called.
    private func takeCalls() -> [Call] {
        state.withLock { state in
            defer { state.calls = [] }
            return state.calls
        }
    }

    /// Rejects all further calls.
    private func end(_ error: any Error) { state.withLock { $0.ending = $0.ending ?? error } }

    private func work(_ sockets: RequestSockets, _ report: SocketReport) {
        var awaited: [UInt64: CheckedContinuation<[UInt8], any Error>] = [:]
        defer {
            sockets.close()
            let ending: any Error = state.withLock { $0.ending } ?? CancellationError()
            for case .ask(_, _, _, let continuation) in takeCalls() { continuation.resume(throwing: ending) }
            for (_, continuation) in awaited.sorted(by: { $0.key < $1.key }) { continuation.resume(throwing: ending) }
        }
        while true {
            for call in takeCalls() {
                switch call {
                case .ask(let number, let stream, let payload, let continuation):
                    awaited[number] = continuation
                    sockets.add(number, stream, payload)
                case .cancel(let number):
                    sockets.forget(number)
                    awaited.removeValue(forKey: number)?.resume(throwing: CancellationError())
                case .close: return
                }
            }
            do {
                for ending in try sockets.move(wake) {
                    awaited.removeValue(forKey: ending.number)?.resume(with: ending.result)
                }
            } catch {
                // The sockets cannot be used any more.
                end(error)
                report.say(.error, PipelineError(wrapping: error).description)
                return
            }
        }
    }
}
