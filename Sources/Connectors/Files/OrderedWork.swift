import Pipeline

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A queue that processes pieces of an input on several threads, and returns them in the order of the input.
///
/// The output does not depend on the number of threads. The number of pieces in flight is limited, so that memory does not grow
/// with the input. Every thread both cuts and processes pieces. While the calling thread would have to wait for the next piece, it
/// processes another one itself, unless the limit is reached.
// `@unchecked Sendable`: only one thread calls `next()`. One thread at a time cuts pieces, under the lock `cutting`. `mutex`
// protects the state. A piece belongs to the thread that works on it, and is passed between threads through the state.
final class OrderedWork<Piece: AnyObject, Worker: AnyObject>: @unchecked Sendable {
    /// The steps that process pieces.
    struct Steps {
        /// Creates an empty piece.
        let piece: () -> Piece
        /// Creates the worker of a thread.
        let worker: () -> Worker?
        /// Fills a piece with the next part of the input. Returns `false` if no piece follows it.
        let cut: (Piece) -> Bool
        /// Processes a piece.
        let work: (Worker, Piece) -> Void
    }

    private struct State {
        /// The finished pieces that have not been returned. The index of a piece is its number modulo the size of this array.
        var finished: [Piece?]
        /// The number of pieces that were cut.
        var cut = 0
        /// The number of pieces that were returned.
        var taken = 0
        /// Whether no further pieces will be cut.
        var isOver = false
        var helpers = 0
        /// Empty pieces that can be reused.
        var spare: [Piece] = []

        var mayCut: Bool { !isOver && cut - taken < finished.count }
    }

    private let steps: Steps
    /// The worker of the calling thread.
    private let own: Worker
    private let mostHelpers: Int
    private let cutting = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    // The state is behind a pointer, because each access to a stored property would cost an exclusivity check.
    private let state = UnsafeMutablePointer<State>.allocate(capacity: 1)

    /// Creates a queue whose threads have not started yet.
    ///
    /// - Parameters:
    ///   - own: The worker of the calling thread.
    ///   - helpers: The number of additional threads. They start with the first call of `next()`.
    init(_ own: Worker, helpers: Int, _ steps: Steps) {
        self.steps = steps
        self.own = own
        mostHelpers = helpers
        pthread_mutex_init(cutting, nil)
        pthread_mutex_init(mutex, nil)
        pthread_cond_init(condition, nil)
        // Room for one piece in progress and one finished piece per helper, and one piece of the calling thread.
        state.initialize(to: State(finished: Array(repeating: nil, count: 2 * helpers + 1)))
    }

    deinit {
        pthread_mutex_destroy(cutting)
        pthread_mutex_destroy(mutex)
        pthread_cond_destroy(condition)
        cutting.deallocate()
        mutex.deallocate()
        condition.deallocate()
        state.deinitialize(count: 1)
        state.deallocate()
    }

    /// Returns the next piece, or `nil` after the last.
    func next() -> Piece? {
        startHelpers()
        while true {
            pthread_mutex_lock(mutex)
            while state.pointee.finished[nextPlace] == nil, state.pointee.taken < state.pointee.cut,
                !state.pointee.mayCut
            {
                pthread_cond_wait(condition, mutex)
            }
            let piece = state.pointee.finished[nextPlace]
            if piece != nil {
                state.pointee.finished[nextPlace] = nil
                state.pointee.taken += 1
            }
            let isAtEnd = piece == nil && state.pointee.isOver && state.pointee.taken == state.pointee.cut
            pthread_mutex_unlock(mutex)
            if piece != nil { pthread_cond_broadcast(condition) }
            if piece != nil || isAtEnd { return piece }
            workOnNext(own)
        }
    }

    /// Takes back a piece, so that it can be reused.
    func recycle(_ piece: Piece) {
        pthread_mutex_lock(mutex)
        state.pointee.spare.append(piece)
        pthread_mutex_unlock(mutex)
    }

    /// Stops all work, and waits until the other threads have finished.
    func stop() {
        pthread_mutex_lock(mutex)
        state.pointee.isOver = true
        pthread_cond_broadcast(condition)
        while state.pointee.helpers > 0 { pthread_cond_wait(condition, mutex) }
        pthread_mutex_unlock(mutex)
    }

    /// The index in `finished` of the piece that is returned next.
    private var nextPlace: Int { state.pointee.taken % state.pointee.finished.count }

    /// Cuts the next piece and processes it. Does nothing if the input has no further piece or the limit is reached.
    private func workOnNext(_ worker: Worker) {
        pthread_mutex_lock(cutting)
        pthread_mutex_lock(mutex)
        guard state.pointee.mayCut else {
            pthread_mutex_unlock(mutex)
            pthread_mutex_unlock(cutting)
            return
        }
        let number = state.pointee.cut
        state.pointee.cut += 1
        let spare = state.pointee.spare.popLast()
        pthread_mutex_unlock(mutex)
        let piece = spare ?? steps.piece()
        let isLast = !steps.cut(piece)
        if isLast {
            pthread_mutex_lock(mutex)
            state.pointee.isOver = true
            pthread_mutex_unlock(mutex)
        }
        pthread_mutex_unlock(cutting)
        steps.work(worker, piece)
        pthread_mutex_lock(mutex)
        state.pointee.finished[number % state.pointee.finished.count] = piece
        pthread_mutex_unlock(mutex)
        pthread_cond_broadcast(condition)
    }

    private func startHelpers() {
        pthread_mutex_lock(mutex)
        let count = state.pointee.isOver || state.pointee.cut > 0 ? 0 : mostHelpers
        state.pointee.helpers += count
        pthread_mutex_unlock(mutex)
        for _ in 0..<count { startThread { [self] in help() } }
    }

    private func help() {
        // If no worker can be created for this thread, the other threads do the work.
        if let worker = steps.worker() {
            while mayHelp() { workOnNext(worker) }
        }
        pthread_mutex_lock(mutex)
        state.pointee.helpers -= 1
        pthread_cond_broadcast(condition)
        pthread_mutex_unlock(mutex)
    }

    /// Waits until there is room for another piece. Returns `false` if no further piece will be cut.
    private func mayHelp() -> Bool {
        pthread_mutex_lock(mutex)
        while !state.pointee.mayCut, !state.pointee.isOver { pthread_cond_wait(condition, mutex) }
        defer { pthread_mutex_unlock(mutex) }
        return !state.pointee.isOver
    }
}
