import Pipeline

/// Shows the progress of a task. On a terminal, one line is overwritten in place; elsewhere, a line is written every five seconds.
/// Nothing is shown if the console writes no messages of level `info`, as with `-q`.
struct ProgressReporter: Sendable {
    /// Returns the current progress of the task.
    let measure: @Sendable () -> any StatusText
    let console: Console
    /// The level of the lines that are written if no line can be overwritten.
    var levelOfLines = Log.Level.info

    private static let nanosecondsPerSecond: Double = 1e9

    /// Performs the work and shows its progress until it ends.
    func during<Result: Sendable>(_ work: @Sendable () async throws -> Result) async rethrows -> Result {
        guard console.shows(.info) else { return try await work() }
        let shown = Task { await show() }
        let result: Result
        do {
            result = try await work()
        } catch {
            await finish(shown)
            throw error
        }
        await finish(shown)
        return result
    }

    private func finish(_ shown: Task<Void, Never>) async {
        shown.cancel()
        await shown.value
    }

    private func show() async {
        let clock = SystemClock()
        let start = clock.now
        let interval: Double = console.showsStatus ? 0.1 : 5
        var next = start
        var isShown = false
        while true {
            next += Int64(interval * Self.nanosecondsPerSecond)
            do {
                try await clock.sleep(until: next)
            } catch {
                break
            }
            var status = measure()
            status.elapsed = Double(clock.now - start) / Self.nanosecondsPerSecond
            if console.showsStatus {
                console.writeMessage("\r\u{1B}[K" + status.line(width: console.width))
                isShown = true
            } else {
                console.say(Notice(levelOfLines, status.words))
            }
        }
        if isShown { console.writeMessage("\r\u{1B}[K") }
    }
}
