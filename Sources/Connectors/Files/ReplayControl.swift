import Pipeline
import Stages
import Synchronization

/// The controls of an interactive replay: pause, single steps, faster and slower.
///
/// The replay has a clock of its own, whose time is called the position. This clock runs at a multiple of the speed of the run's
/// clock, and stops while the replay is paused. A frame is due when the position reaches its due time.
package final class ReplayControl: Sendable {
    /// The state of a replay.
    package struct Status: Sendable, Equatable {
        /// The speed relative to the recorded speed; `nil` for as fast as possible.
        package var rate: Double?
        /// Whether the replay is paused.
        package var isPaused = false
    }

    private struct State {
        var status: Status
        /// The replay's position at the time `since` of the run's clock, in nanoseconds.
        var position: Int64 = 0
        var since: Int64 = 0
        /// The number of frames that may be emitted before they are due.
        var steps = 0
    }

    private let state: Lock<State>
    /// The interval at which the controls are checked, in nanoseconds.
    private static let interval: Int64 = 20_000_000
    private static let rates = 0.001...1000.0

    package init(_ rate: ReplayRate) {
        var status = Status()
        if case .times(let rate) = rate { status.rate = rate }
        state = Lock(State(status: status))
    }

    /// The current state of the replay.
    package var status: Status { state.withLock { $0.status } }

    /// Pauses or continues the replay.
    package func togglePause(at now: Int64) { change(at: now) { $0.isPaused.toggle() } }

    /// Emits one more frame, and pauses after it.
    package func step(at now: Int64) {
        change(at: now) { $0.isPaused = true }
        state.withLock { $0.steps += 1 }
    }

    /// Doubles the speed.
    package func faster(at now: Int64) {
        change(at: now) { $0.rate = $0.rate.map { min($0 * 2, Self.rates.upperBound) } }
    }

    /// Halves the speed.
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

    /// Returns the replay's position at a time of the run's clock, both in nanoseconds.
    func position(at now: Int64) -> Int64 { state.withLock { Self.position($0, now) } }

    private static func position(_ state: State, _ now: Int64) -> Int64 {
        guard !state.status.isPaused, let rate = state.status.rate else { return state.position }
        let passed = Int64(saturating: Double(now.subtractingSaturated(state.since)) * rate)
        return state.position.addingSaturated(passed)
    }

    /// Returns the time of the run's clock at which to check again whether the replay has reached a position.
    func moment(of position: Int64, at now: Int64) -> Int64 {
        let (reached, status) = state.withLock { (Self.position($0, now), $0.status) }
        guard !status.isPaused, let rate = status.rate else { return now + Self.interval }
        let wait = Double(position.subtractingSaturated(reached)) / rate
        return now + max(1, min(Self.interval, Int64(saturating: wait.rounded(.up))))
    }

    /// Whether a frame that is due at a position can be emitted now.
    func isDue(_ position: Int64, at now: Int64) -> Bool { state.withLock { Self.isDue($0, position, now) } }

    private static func isDue(_ state: State, _ position: Int64, _ now: Int64) -> Bool {
        state.steps > 0 || !state.status.isPaused && state.status.rate == nil || position <= Self.position(state, now)
    }

    /// Returns whether a frame that is due at a position can be emitted. If it can be emitted early, the replay advances to that
    /// position and uses up one step.
    func pass(_ position: Int64, at now: Int64) -> Bool {
        state.withLock { state in
            guard Self.isDue(state, position, now) else { return false }
            guard position > Self.position(state, now) else { return true }
            state.steps = max(0, state.steps - 1)
            (state.position, state.since) = (position, now)
            return true
        }
    }
}
