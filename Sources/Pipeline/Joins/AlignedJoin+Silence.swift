extension AlignedJoin {
    /// Marks lanes that have been silent for longer than their idle timeout as idle. Sets a timer that wakes the task when the
    /// next lane may become idle.
    func noteSilence(into batch: inout [Item], _ used: inout [FrameCell]) {
        let now = monitor.clock.now
        var next: Int64?
        var silent: [Int] = []
        for index in lanes.indices {
            if lanes[index].reader.hasFrame { lanes[index].activeAt = now }
            guard let moment = lanes[index].idleAt else { continue }
            if moment <= now {
                lanes[index].isIdle = true
                silent.append(index)
            } else {
                next = min(next ?? moment, moment)
            }
        }
        if !silent.isEmpty {
            state.becameIdle(silent)
            takeOutputs(into: &batch, &used)
        }
        // Later wake-ups are scheduled when the pending one has fired, because a pending one cannot be canceled.
        if let next, timerAt.map({ next < $0 || $0 <= now }) ?? true {
            timerAt = next
            monitor.timer?.schedule(at: next) { [waker] in waker.signal() }
        }
    }
}
