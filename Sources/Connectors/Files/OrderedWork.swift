import Pipeline

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Works on pieces of an input on several threads, and hands them on in the order of the input.
///
/// No thread only reads or only waits: whoever asks for a piece that nobody has finished works on the next one itself. So many
/// pieces are in flight at most that memory does not grow with the input, and what comes out does not depend on how many
/// threads there are.
// One thread asks. The pieces are cut by one thread at a time, under `cutting`; the state is guarded by `mutex`. A piece belongs
// to who works on it, and is handed on through the state.
final class OrderedWork<Piece: AnyObject, Worker: AnyObject>: @unchecked Sendable {
    /// What is done to pieces.
    struct Steps {
        /// Makes an empty piece.
        let piece: () -> Piece
        /// Makes what works on pieces: one for each thread.
        let worker: () -> Worker?
        /// Fills a piece with what comes next of the input; false when it is the last.
        let cut: (Piece) -> Bool
        /// Works on a piece.
        let work: (Worker, Piece) -> Void
    }

    private struct State {
        /// Pieces that are finished and not handed on, by their number modulo how many may be in flight.
        var finished: [Piece?]
        /// How many pieces have been cut, and how many handed on.
        var cut = 0
        var taken = 0
        /// Set when nothing more is to be cut.
        var isOver = false
        var helpers = 0
        /// Pieces to be filled again.
        var spare: [Piece] = []

        var mayCut: Bool { !isOver && cut - taken < finished.count }
    }

    private let steps: Steps
    private let own: Worker
    private let mostHelpers: Int
    private let cutting = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    // Behind a pointer: stored here, it would cost an exclusivity check at each use.
    private let state = UnsafeMutablePointer<State>.allocate(capacity: 1)

    /// - Parameters:
    ///   - own: What works on pieces for the thread that asks.
    ///   - helpers: How many more threads there are; they begin with the first piece that is asked for.
    init(_ own: Worker, helpers: Int, _ steps: Steps) {
        self.steps = steps
        self.own = own
        mostHelpers = helpers
        pthread_mutex_init(cutting, nil)
        pthread_mutex_init(mutex, nil)
        pthread_cond_init(condition, nil)
        // While one is handed on and every thread works on one, as many lie ready.
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

    /// The next piece; `nil` behind the last.
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
                pthread_cond_broadcast(condition)
            }
            let isAtEnd = piece == nil && state.pointee.isOver && state.pointee.taken == state.pointee.cut
            pthread_mutex_unlock(mutex)
            if piece != nil || isAtEnd { return piece }
            workOnNext(own)
        }
    }

    /// Takes back a piece to be filled again.
    func recycle(_ piece: Piece) {
        pthread_mutex_lock(mutex)
        state.pointee.spare.append(piece)
        pthread_mutex_unlock(mutex)
    }

    /// Ends all work, and waits until the other threads have left.
    func stop() {
        pthread_mutex_lock(mutex)
        state.pointee.isOver = true
        pthread_cond_broadcast(condition)
        while state.pointee.helpers > 0 { pthread_cond_wait(condition, mutex) }
        pthread_mutex_unlock(mutex)
    }

    /// The place of the piece that is handed on next.
    private var nextPlace: Int { state.pointee.taken % state.pointee.finished.count }

    /// Cuts a piece and works on it, if there is another and room for it.
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
        pthread_cond_broadcast(condition)
        pthread_mutex_unlock(mutex)
    }

    private func startHelpers() {
        pthread_mutex_lock(mutex)
        let count = state.pointee.isOver || state.pointee.cut > 0 ? 0 : mostHelpers
        state.pointee.helpers += count
        pthread_mutex_unlock(mutex)
        for _ in 0..<count { startThread { [self] in help() } }
    }

    private func help() {
        // Without memory for another, the thread that asks works alone.
        if let worker = steps.worker() {
            while mayHelp() { workOnNext(worker) }
        }
        pthread_mutex_lock(mutex)
        state.pointee.helpers -= 1
        pthread_cond_broadcast(condition)
        pthread_mutex_unlock(mutex)
    }

    /// Waits until there is room for another piece; false when there will be none.
    private func mayHelp() -> Bool {
        pthread_mutex_lock(mutex)
        while !state.pointee.mayCut, !state.pointee.isOver { pthread_cond_wait(condition, mutex) }
        defer { pthread_mutex_unlock(mutex) }
        return !state.pointee.isOver
    }
}
