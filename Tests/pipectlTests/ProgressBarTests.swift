import Testing

@testable import PipelineCommand

@Suite("Progress")
struct ProgressBarTests {
    private func bar(done: Int64, total: Int64, items: Int64, elapsed: Double) -> ProgressBar {
        var bar = ProgressBar("frames")
        (bar.done, bar.total, bar.items, bar.elapsed) = (done, total, items, elapsed)
        return bar
    }

    @Test("Progress bar: share, count, rate and time left are shown as text")
    func words() {
        #expect(
            bar(done: 25, total: 100, items: 12_345, elapsed: 10).words
                == "25 %  12,345 frames  1,234/s  30 s left")
        #expect(bar(done: 100, total: 100, items: 4, elapsed: 2).words == "100 %  4 frames  2/s")
        #expect(bar(done: 7, total: 0, items: 3, elapsed: 0).words == "3 frames")
    }

    @Test(
        "Progress bar: the bar is filled by the share done and never wider than the terminal",
        arguments: [20, 50, 60, 80, 200])
    func width(columns: Int) {
        for done in [0, 1, 50, 99, 100, 1000] as [Int64] {
            let line = bar(done: done, total: 100, items: 1_000_000, elapsed: 5).line(width: columns)
            #expect(line.count < columns)
        }
        let half = bar(done: 50, total: 100, items: 1, elapsed: 0).line(width: 200)
        #expect(half.hasPrefix(String(repeating: "█", count: 15) + String(repeating: "░", count: 15) + "  50 %"))
    }

    @Test(
        "Progress bar: a duration is shown with about two digits and its unit",
        arguments: [
            (0, "0 ms"), (0.0004, "0 ms"), (0.34, "340 ms"), (0.9996, "1.0 s"), (3.21, "3.2 s"), (9.96, "10 s"),
            (59.4, "59 s"), (59.6, "1 min 00 s"), (245, "4 min 05 s"), (7620, "2 h 07 min"), (.infinity, "?"),
        ])
    func durations(seconds: Double, text: String) {
        #expect(ProgressBar.duration(seconds) == text)
    }

    @Test(
        "Progress bar: thousands are grouped",
        arguments: [(0, "0"), (999, "999"), (1000, "1,000"), (-1_234_567, "-1,234,567")])
    func grouped(value: Int64, text: String) {
        #expect(ProgressBar.grouped(value) == text)
    }
}
