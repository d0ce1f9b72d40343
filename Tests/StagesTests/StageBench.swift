@testable import Pipeline

/// Drives one stage on one stream, as a segment would: wake-ups due before a frame come first.
final class StageBench<S: Stage> {
    private final class Collector: Inlet<S.Output> {
        var frames: [Frame<S.Output>] = []

        override init() { super.init() }

        override func receive(_ frame: Frame<S.Output>) { frames.append(frame) }
    }

    private var stage: S
    private let collector = Collector()
    private var state: EmitterState<S.Output>

    /// Why frames were dropped, in order.
    private(set) var drops: [String] = []

    init(_ stage: S, stream: StreamID = "", log: Log = .silent) {
        self.stage = stage
        state = EmitterState(next: collector, stream: stream, log: log)
    }

    /// All that came out.
    var output: [Frame<S.Output>] { collector.frames }

    /// Lets the stream's time pass `time`.
    func advance(to time: Timestamp) throws {
        while let wake = state.wakeTime, wake < time {
            state.wakeTime = nil
            begin(wake)
            try withUnsafeMutablePointer(to: &state) { try stage.wake(at: wake, into: Emitter($0)) }
        }
    }

    func send(_ payload: S.Input, at time: Timestamp, gap: Int32 = 0, sequence: Int64 = 0) throws {
        try advance(to: time)
        begin(time)
        state.gap += gap
        state.sequence = sequence
        state.dropReason = nil
        let before = state.emitted
        let frame = Frame(payload, at: time, stream: state.stream, sequence: sequence, gap: gap)
        try withUnsafeMutablePointer(to: &state) { try stage.process(frame, into: Emitter($0)) }
        if state.marks.contains(.forwards), let same = frame as? Frame<S.Output> {
            collector.receive(same)
            state.emitted += 1
        }
        state.marks = []
        if let reason = state.dropReason, state.emitted == before { drops.append(reason.rawValue) }
    }

    func finish() throws {
        begin(state.time)
        try withUnsafeMutablePointer(to: &state) { try stage.finish(into: Emitter($0)) }
    }

    private func begin(_ time: Timestamp) {
        state.previousBound = state.time
        state.time = max(time, state.time)
    }
}
