import Pipeline
import Synchronization

/// Takes requests from many tasks to the one thread that owns the socket, and answers back.
///
/// Each request is sent under a number in front of REQ's empty frame, which a REP or ROUTER socket gives back: so answers
/// are known, in whatever order they come, and one that comes too late is told from the one awaited.
final class RequestDesk: Sendable {
    private enum Call {
        case ask(UInt64, String, [UInt8], CheckedContinuation<[UInt8], any Error>)
        case cancel(UInt64)
        case close
    }

    private struct State {
        var calls: [Call] = []
        var next: UInt64 = 0
        var isClosed = false
    }

    private let state = Lock(State())
    private let wake: WakePipe
    private let ended: WakePipe

    /// Opens the socket on a thread of its own.
    init(_ options: ZMQRequest.Options, _ report: SocketReport) throws {
        let (wake, ended, ready) = (try WakePipe(), try WakePipe(), try WakePipe())
        (self.wake, self.ended) = (wake, ended)
        let problem = Lock<(any Error)?>(nil)
        startThread { [self] in
            do {
                let line = try RequestLine(options, report)
                ready.signal()
                work(line, report)
            } catch {
                problem.withLock { $0 = error }
                ready.signal()
            }
            ended.signal()
        }
        ready.wait()
        if let error = problem.withLock({ $0 }) { throw error }
    }

    /// Sends a request and waits for its answer: the last frame of it.
    ///
    /// - Throws: A frame error when none came in time, as often as was tried; a cancellation.
    func ask(_ stream: String, _ payload: [UInt8]) async throws -> [UInt8] {
        let number = state.withLock { state in
            state.next += 1
            return state.next
        }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                if !post(.ask(number, stream, payload, continuation)) {
                    continuation.resume(throwing: CancellationError())
                }
            }
        } onCancel: {
            _ = post(.cancel(number))
        }
    }

    /// Closes the socket; what was asked is canceled.
    func close() async {
        guard post(.close) else { return }
        ended.wait()
    }

    private func post(_ call: Call) -> Bool {
        let isTaken = state.withLock { state in
            guard !state.isClosed else { return false }
            if case .close = call { state.isClosed = true }
            state.calls.append(call)
            return true
        }
        if isTaken { wake.signal() }
        return isTaken
    }

    // MARK: On the thread

    /// What has been posted since.
    ///
    /// - Parameter closing: Whether nothing may be posted any more.
    private func takeCalls(closing: Bool = false) -> [Call] {
        state.withLock { state in
            if closing { state.isClosed = true }
            defer { state.calls = [] }
            return state.calls
        }
    }

    private func work(_ line: RequestLine, _ report: SocketReport) {
        var awaited: [UInt64: CheckedContinuation<[UInt8], any Error>] = [:]
        // A task that was canceled before it asked says so first.
        var cancelled: Set<UInt64> = []
        defer {
            line.close()
            for case .ask(_, _, _, let continuation) in takeCalls(closing: true) {
                continuation.resume(throwing: CancellationError())
            }
            for (_, continuation) in awaited.sorted(by: { $0.key < $1.key }) {
                continuation.resume(throwing: CancellationError())
            }
        }
        while true {
            for call in takeCalls() {
                switch call {
                case .ask(let number, let stream, let payload, let continuation):
                    if cancelled.remove(number) != nil {
                        continuation.resume(throwing: CancellationError())
                        continue
                    }
                    awaited[number] = continuation
                    line.add(number, stream, payload)
                case .cancel(let number):
                    line.forget(number)
                    if let continuation = awaited.removeValue(forKey: number) {
                        continuation.resume(throwing: CancellationError())
                    } else {
                        cancelled.insert(number)
                    }
                case .close: return
                }
            }
            do {
                for ending in try line.move(wake) {
                    awaited.removeValue(forKey: ending.number)?.resume(with: ending.result)
                }
            } catch {
                // The socket itself is of no use any more: everything asked fails with the reason.
                report.say(.error, PipelineError(wrapping: error).description)
                return
            }
        }
    }
}
