import Pipeline
import Stages
import Synchronization

/// What a person who watches a replay asks for: to pause, to go on frame by frame, faster or slower.
///
/// The replay has a clock of its own, which runs as many times as fast as the run's, and stands still while it is paused.
package final class ReplayControl: Sendable {
    /// How a replay goes.
    package struct Status: Sendable, Equatable {
        /// How many times as fast as it came; `nil` for as fast as it can be sent.
        package var rate: Double?
        /// Whether it stands still.
        package var isPaused = false
    }

    private struct State {
        var status: Status
        /// Where the replay was at a moment of the run's clock, in nanoseconds.
        var position: Int64 = 0
        var since: Int64 = 0
        /// How many frames are to be sent before their time.
        var steps = 0
    }

    private let state: Lock<State>
    /// How often it is looked whether something was asked for, in nanoseconds.
    private static let interval: Int64 = 20_000_000
    private static let rates = 0.001...1000.0

    package init(_ rate: ReplayRate) {
        var status = Status()
        if case .times(let rate) = rate { status.rate = rate }
        state = Lock(State(status: status))
    }

    /// How the replay goes.
    package var status: Status { state.withLock { $0.status } }

    /// Pauses, or goes on.
    package func togglePause(at now: Int64) { change(at: now) { $0.isPaused.toggle() } }

    /// Sends one more frame, and pauses there.
    package func step(at now: Int64) {
        change(at: now) { $0.isPaused = true }
        state.withLock { $0.steps += 1 }
    }

    /// Goes twice as fast.
    package func faster(at now: Int64) {
        change(at: now) { $0.rate = $0.rate.map { min($0 * 2, Self.rates.upperBound) } }
    }

    /// Goes half as fast.
    package func slower(at now: Int64) {
        change(at: now) { $0.rate = max(($0.rate ?? 2 * Self.rates.upperBound) / 2, Self.rates.lowerBound) }
    }

    private func change(at now: Int64, _ change: (inout Status) -> Void) {
        state.withLock { state in
            state.position = Self.position(state, now)
            state.since = now
            change(&state.status)
        }
    }

    /// Where the replay is at a moment of the run's clock: all that was due before has been sent.
    func position(at now: Int64) -> Int64 { state.withLock { Self.position($0, now) } }

    private static func position(_ state: State, _ now: Int64) -> Int64 {
        guard !state.status.isPaused, let rate = state.status.rate else { return state.position }
        let passed = Int64(saturating: Double(now.subtractingSaturated(state.since)) * rate)
        return state.position.addingSaturated(passed)
    }

    /// When to look again whether the replay has reached a position.
    func moment(of position: Int64, at now: Int64) -> Int64 {
        let (reached, status) = state.withLock { (Self.position($0, now), $0.status) }
        guard !status.isPaused, let rate = status.rate else { return now + Self.interval }
        let wait = Double(position.subtractingSaturated(reached)) / rate
        return now + max(1, min(Self.interval, Int64(saturating: wait.rounded(.up))))
    }

    /// Whether what is due at a position is to be sent.
    func isDue(_ position: Int64, at now: Int64) -> Bool { state.withLock { Self.isDue($0, position, now) } }

    private static func isDue(_ state: State, _ position: Int64, _ now: Int64) -> Bool {
        state.steps > 0 || !state.status.isPaused && state.status.rate == nil || position <= Self.position(state, now)
    }

    /// Whether the frame that is due at a position is to be sent; then the replay is there.
    func pass(_ position: Int64, at now: Int64) -> Bool {
        state.withLock { state in
            guard Self.isDue(state, position, now) else { return false }
            guard position > Self.position(state, now) else { return true }
            state.steps = max(0, state.steps - 1)
            state.position = position
            return true
        }
    }
}
