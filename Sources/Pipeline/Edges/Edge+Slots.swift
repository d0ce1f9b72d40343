import Synchronization

/// The credits of an edge that limits its frames in flight.
extension Edge: CreditOwner {
    func note(_ number: Int, _ change: Credit.Change) {
        let now = monitor.clock.now
        self.change { $0.flights?.credit(number, change, now: now) ?? EdgeWakes() }
    }

    /// Applies a change to the queue, and wakes the affected tasks.
    func change(_ body: (inout Guarded) -> EdgeWakes) {
        let wakes = state.withLock { state in
            defer { setTimer(&state) }
            return body(&state)
        }
        if wakes.consumer { consumer.signal() }
        if wakes.producer { producer.signal() }
        wakes.ended.end()
    }

    /// Schedules a check for the time at which the next frame in flight times out.
    func setTimer(_ state: inout Guarded) {
        guard let deadline = state.flights?.nextDeadline, state.timerAt.map({ deadline < $0 }) ?? true,
            let timer = monitor.timer
        else { return }
        state.timerAt = deadline
        timer.schedule(at: deadline) { [weak self] in
            guard let self else { return }
            let now = monitor.clock.now
            self.state.withLock { $0.timerAt = nil }
            change { $0.flights?.pass(now) ?? EdgeWakes() }
        }
    }
}
