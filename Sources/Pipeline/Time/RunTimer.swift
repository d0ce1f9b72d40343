import Synchronization

/// Calls functions at given times of the run's clock. A live run has one timer with a single task, however many actions are
/// pending.
///
/// Actions cannot be canceled. An action must check whether there is still something to do.
final class RunTimer: Sendable {
    /// An action that is due at a time. The earliest deadline comes first, ties in the order of the requests.
    private struct Due: Comparable {
        let deadline: Int64
        let number: Int
        let action: @Sendable () -> Void

        static func == (a: Due, b: Due) -> Bool { a.number == b.number }
        static func < (a: Due, b: Due) -> Bool { (a.deadline, a.number) < (b.deadline, b.number) }
    }

    private struct State {
        var due = Heap<Due>()
        var nextNumber = 0
        var sleeper: Task<Void, Never>?
        /// The time at which the sleeping task wakes.
        var wakesAt = Int64.max
        /// The number of calls that are executing actions.
        var firing = 0
        var hasEnded = false
        var whenIdle: (@Sendable () -> Void)?
    }

    private let state = Lock(State())
    private let clock: any RunClock

    init(clock: any RunClock) { self.clock = clock }

    /// Whether an action is pending or being executed. It may wake tasks, so tasks that wait are not deadlocked yet.
    var isWaiting: Bool { state.withLock { ($0.due.first != nil || $0.firing > 0) && !$0.hasEnded } }

    /// Sets a function that is called whenever the last pending action has been executed.
    func onIdle(_ body: @escaping @Sendable () -> Void) { state.withLock { $0.whenIdle = body } }

    /// Executes `action` when the clock reaches `deadline`. The action must be fast, because it runs in the timer's task.
    func schedule(at deadline: Int64, _ action: @escaping @Sendable () -> Void) {
        state.withLock { state in
            guard !state.hasEnded else { return }
            state.due.insert(Due(deadline: deadline, number: state.nextNumber, action: action))
            state.nextNumber += 1
            if deadline < state.wakesAt { sleep(until: deadline, &state) }
        }
    }

    /// Discards all pending actions and stops the timer.
    func end() {
        state.withLock { state in
            state.hasEnded = true
            state.due = Heap()
            state.sleeper?.cancel()
            state.sleeper = nil
        }
    }

    private func sleep(until deadline: Int64, _ state: inout State) {
        state.sleeper?.cancel()
        state.wakesAt = deadline
        state.sleeper = Task(executorPreference: clock.executor) { [weak self, clock] in
            guard (try? await clock.sleep(until: deadline)) != nil else { return }
            self?.fire(deadline)
        }
    }

    private func fire(_ woken: Int64) {
        let actions = state.withLock { state -> [@Sendable () -> Void]? in
            // Ignore a sleeper that was replaced but woke before its cancellation took effect.
            guard state.wakesAt == woken else { return nil }
            var actions: [@Sendable () -> Void] = []
            let now = clock.now
            while let first = state.due.first, first.deadline <= now {
                actions.append(first.action)
                state.due.removeFirst()
            }
            state.sleeper = nil
            state.wakesAt = .max
            state.firing += 1
            return actions
        }
        guard let actions else { return }
        for action in actions { action() }
        let whenIdle = state.withLock { state -> (@Sendable () -> Void)? in
            state.firing -= 1
            guard !state.hasEnded else { return nil }
            guard let first = state.due.first else { return state.whenIdle }
            if first.deadline < state.wakesAt { sleep(until: first.deadline, &state) }
            return nil
        }
        whenIdle?()
    }
}
